import type { PublicAsset } from "asset-registry-client";
import { expect } from "chai";
import { contradicts, instantOf, isOfService } from "../../../../web/src/pages/verify/proof/service-word.ts";

const address = `0x${"aB".repeat(20)}` as const;
const id = `0x${"5f".repeat(32)}` as const;

describe("what a service tells beside a proof", () => {
  const texts = {
    ...{ name: "Lease", data: "", fileName: "", fileType: "" },
    ...{ fileSize: "", method: "SHA2-256", hash: "ab", uri: "" },
  };
  const place = { chainId: 1, registry: address };
  const told = {
    ...texts,
    ...place,
    id,
    author: address,
    createdOn: "2026-11-28T02:10:43+00:00",
  } as PublicAsset;
  const checked = {
    proof: { ...place, asset: { ...texts, id, author: address } },
    result: { asset: { ...place, id, author: address, createdOn: 1_795_831_843 } },
  } as unknown as Parameters<typeof contradicts>[0];

  it("agrees whatever the case of hex, and where the service says that it does not tell all", () => {
    expect(contradicts(checked, told)).to.equal(false);
    expect(contradicts(checked, { ...told, registry: address.toLowerCase() as never })).to.equal(false);
    expect(contradicts(checked, { ...told, data: "cut", truncated: ["data"] })).to.equal(false);
    expect(contradicts(checked, { ...told, name: "\ufffd", inexact: ["name"] })).to.equal(false);
  });

  it("contradicts the proof in any other fact", () => {
    for (const lie of [
      { id: `0x${"5e".repeat(32)}` },
      { author: `0x${"00".repeat(20)}` },
      { chainId: 2 },
      { registry: `0x${"00".repeat(20)}` },
      { createdOn: "2009-01-03T18:15:05+00:00" },
      { createdOn: "long ago" },
      { name: "Deed" },
      { uri: "https://evil.example" },
    ] as Partial<PublicAsset>[]) {
      expect(contradicts(checked, { ...told, ...lie }), JSON.stringify(lie)).to.equal(true);
    }
  });

  it("is of the service's own registry, or of none of it", () => {
    const service = { chain: { id: 1 }, registry: address.toLowerCase() as `0x${string}` };
    expect(isOfService(place, service)).to.equal(true);
    expect(isOfService({ ...place, chainId: 5 }, service)).to.equal(false);
    expect(isOfService({ ...place, registry: `0x${"00".repeat(20)}` }, service)).to.equal(false);
  });

  it("may name a time that no date holds", () => {
    expect(instantOf(0)).to.equal("1970-01-01T00:00:00.000Z");
    expect(instantOf(2 ** 48 - 1)).to.equal("281474976710655 s after 1970");
  });
});
