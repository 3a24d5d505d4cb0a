import { expect } from "chai";
import { addressRules } from "../../../api/deliveries/addresses.ts";
import { receiverUrlProblem } from "../../../api/deliveries/receiver-url.ts";

describe("addresses of receivers", () => {
  const rules = addressRules();

  const closed: Record<string, string[]> = {
    loopback: ["127.0.0.1", "127.255.255.254", "::1"],
    "unspecified and this network": ["0.0.0.0", "0.1.2.3", "::"],
    private: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1"],
    "link-local, where clouds serve metadata": ["169.254.169.254", "fe80::1", "fe80::1%eth0", "febf::1"],
    "shared by carriers": ["100.64.0.1", "100.127.255.255"],
    "unique local": ["fc00::1", "fd12:3456:789a::1"],
    "site-local of old": ["fec0::1"],
    "multicast and broadcast": ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1"],
    reserved: ["240.0.0.1", "192.0.0.1", "198.18.0.1", "4000::1"],
    "of a cloud's services for its machines": ["168.63.129.16", "100.100.100.200", "fd00:ec2::254"],
    "for documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    "IPv4-mapped": ["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:8.8.8.8"],
    "IPv4-compatible": ["::127.0.0.1", "::7f00:1"],
    "IPv4-translated": ["::ffff:0:127.0.0.1"],
    NAT64: ["64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1"],
    "6to4": ["2002:7f00:1::1", "192.88.99.1"],
    Teredo: ["2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    "discard-only": ["100::1"],
    "no address": ["", "localhost", "1.2.3", "01.2.3.4", "1.2.3.4.5"],
  };
  for (const [what, addresses] of Object.entries(closed)) {
    it(`are not ${what}`, () => {
      for (const address of addresses) expect(rules.allows(address), address).to.equal(false);
    });
  }

  it("are those of the public internet", () => {
    const open = [
      "8.8.8.8",
      "1.1.1.1",
      "100.63.255.255",
      "100.128.0.0",
      "172.15.0.1",
      "172.32.0.1",
      "169.253.0.1",
    ];
    for (const address of [
      ...open,
      "192.169.0.1",
      "223.255.255.254",
      "2606:4700::1111",
      "2a00:1450:4001::1",
    ]) {
      expect(rules.allows(address), address).to.equal(true);
    }
  });

  it("are those that the operator opened too, and no others", () => {
    const opened = addressRules(["10.1.0.0/16", "127.0.0.1", "fd00::/8"]);
    for (const address of ["10.1.2.3", "127.0.0.1", "fd00::1", "8.8.8.8"]) {
      expect(opened.allows(address), address).to.equal(true);
    }
    for (const address of ["10.2.0.1", "127.0.0.2", "fc00::1", "::1"]) {
      expect(opened.allows(address), address).to.equal(false);
    }
    expect(opened.opens("8.8.8.8")).to.equal(false);
    expect(opened.opens("10.1.2.3")).to.equal(true);
  });

  describe("in a URL", () => {
    const problem = (text: string, networks: string[] = []) =>
      receiverUrlProblem(new URL(text), addressRules(networks));

    it("are seen through every spelling of them", () => {
      for (const host of [
        ...["2130706433", "0x7f000001", "017700000001", "127.1", "0177.0.0.1", "0x7f.1", "127.0.0.1."],
        ...[
          "[::1]",
          "[::ffff:127.0.0.1]",
          "[0:0:0:0:0:ffff:7f00:1]",
          "１２７.0.0.1",
          "①②⑦.0.0.1",
          "[64:ff9b::a9fe:a9fe]",
        ],
      ]) {
        expect(problem(`https://${host}/`), host).to.contain("not an address of the public internet");
      }
    });

    it("are allowed by https on the ports that belong to it or to nobody", () => {
      for (const url of ["https://example.com/hook?a=1", "https://8.8.8.8/", "https://example.com:8443/"]) {
        expect(problem(url), url).to.equal(undefined);
      }
      for (const port of [22, 25, 587]) {
        expect(problem(`https://example.com:${port}/`)).to.contain(`port ${port}`);
      }
    });

    it("are reached by http and on any port in opened networks alone", () => {
      expect(problem("http://example.com/")).to.contain("must start with https://");
      expect(problem("http://8.8.8.8/", ["10.0.0.0/8"])).to.contain("must start with https://");
      expect(problem("http://10.0.0.1:25/", ["10.0.0.0/8"])).to.equal(undefined);
      // A name is looked up when a request is sent.
      expect(problem("http://hooks.internal/", ["10.0.0.0/8"])).to.equal(undefined);
    });

    it("stand beside no credentials, no fragment and no other scheme", () => {
      expect(problem("https://me@example.com/")).to.contain("no user name");
      expect(problem("https://example.com/#a")).to.contain("no fragment");
      expect(problem("ftp://example.com/")).to.contain("https://");
    });
  });
});
