import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import { createCallerOf } from "../../../../api/http/rate-limit/caller.ts";

function setUp(trusted: number | string[]) {
  const warnings: object[] = [];
  const callerOf = createCallerOf(trusted, {
    warn: (...parts: unknown[]) => {
      warnings.push(parts[0] as object);
    },
  });
  const from = (header: string | undefined, remoteAddress: string | undefined = "10.0.0.1") =>
    callerOf({
      socket: { remoteAddress },
      headers: { "x-forwarded-for": header },
    } as never as IncomingMessage);
  return { from, warnings };
}

describe("the caller of a request", () => {
  it("is the peer where no proxy is trusted, or the header is missing", () => {
    expect(setUp(0).from("192.0.2.7")).to.equal("10.0.0.1");
    expect(setUp(1).from(undefined)).to.equal("10.0.0.1");
    expect(setUp(1).from(undefined, "::ffff:10.0.0.1")).to.equal("10.0.0.1");
    expect(setUp(["10.0.0.0/8"]).from("192.0.2.7", "203.0.113.5")).to.equal("203.0.113.5");
  });

  it("is the same whatever port and form the proxy writes", () => {
    const { from, warnings } = setUp(1);
    for (const form of [
      "192.0.2.7:1",
      "192.0.2.7:65000",
      '"192.0.2.7:80"',
      "for=192.0.2.7",
      "::ffff:192.0.2.7",
    ]) {
      expect(from(`198.51.100.1, ${form}`), form).to.equal("192.0.2.7");
    }
    expect(from("[2001:db8:1:2::1]:443")).to.equal(from("2001:db8:1:2:ffff::2"));
    expect(warnings).to.deep.equal([]);
  });

  it("is who the last trusted proxy names, whatever stands before that", () => {
    for (const before of [
      '"',
      "[",
      "unknown,",
      "for=",
      ",,,",
      'x"y, ',
      "=;".repeat(5_000),
      ",".repeat(30_000),
    ]) {
      expect(setUp(1).from(`${before}, 192.0.2.7:80`), before.slice(0, 9)).to.equal("192.0.2.7");
      expect(setUp(["10.0.0.0/8"]).from(`${before}, 192.0.2.7, 10.9.9.9:80`)).to.equal("192.0.2.7");
    }
    expect(setUp(3).from("192.0.2.7, unknown, 10.0.0.2")).to.equal("192.0.2.7");
    expect(setUp(3).from("192.0.2.7")).to.equal("192.0.2.7");
  });

  it("is the proxy where its word cannot be read, which is logged once and cut", () => {
    for (const trusted of [1, ["10.0.0.0/8"]]) {
      const { from, warnings } = setUp(trusted);
      for (const form of ["unknown", "", "caller-1", "9".repeat(1_000)]) {
        expect(from(`192.0.2.7, ${form}`), form).to.equal("10.0.0.1");
      }
      expect(warnings).to.deep.equal([{ entry: " unknown", proxy: "10.0.0.1" }]);
    }
    const { from, warnings } = setUp(2);
    expect(from("unknown, 10.0.0.2")).to.equal("10.0.0.2");
    expect(warnings).to.have.length(1);
  });

  it("trusts proxies by address and network, of both families and mapped", () => {
    const { from } = setUp(["10.0.0.0/8", "fd00::/8", "::ffff:172.16.0.1", "192.168.1.1"]);
    const callers = [
      "10.1.1.1",
      "fd12::1%eth0",
      "172.16.0.1",
      "192.168.1.1",
      "::ffff:10.3.3.3",
      "[fd00::9]:1",
    ];
    expect(from(["192.0.2.7", ...callers].join())).to.equal("192.0.2.7");
    expect(from("192.0.2.7", "::ffff:10.0.0.1")).to.equal("192.0.2.7");
    expect(from("192.0.2.7,192.168.1.2")).to.equal("192.168.1.2");
    expect(from("192.0.2.7,172.16.0.2")).to.equal("172.16.0.2");
  });

  it("trusts a network of IPv4 that is written as one of IPv6", () => {
    const { from } = setUp(["::ffff:10.0.0.0/104"]);
    expect(from("192.0.2.7, 10.200.1.1")).to.equal("192.0.2.7");
    expect(from("192.0.2.7, 11.0.0.1")).to.equal("11.0.0.1");
    expect(from("192.0.2.7", "203.0.113.1")).to.equal("203.0.113.1");
  });

  it("reads a bounded part of a header that names trusted proxies alone", () => {
    expect(setUp(["10.0.0.0/8"]).from(`10.7.7.7${",10.0.0.3".repeat(3_000)}`)).to.equal("10.0.0.3");
  });

  it("is the same unknown one where even the peer has no address", () => {
    expect(setUp(0).from(undefined, "")).to.equal("unknown");
  });
});
