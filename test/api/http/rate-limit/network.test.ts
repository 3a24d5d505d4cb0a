import { expect } from "chai";
import { networkOf } from "../../../../api/http/rate-limit/network.ts";

describe("networkOf", () => {
  for (const [address, network] of [
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::ffff:c000:207", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::192.0.2.7", "64:ff9b:0:0::/64"],
  ] as const) {
    it(`takes ${address} for one of ${network}`, () => expect(networkOf(address)).to.equal(network));
  }

  for (const text of ["", "unknown", "192.0.2", "192.0.2.7:80", "[::1]", "1::2::3", "localhost"]) {
    it(`takes "${text}" for no address`, () => expect(networkOf(text)).to.equal(undefined));
  }
});
