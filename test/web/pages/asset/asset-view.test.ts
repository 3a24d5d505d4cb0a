import { ConnectionError, type PublicAsset, RegistryError } from "asset-registry-client";
import { expect } from "chai";
import { readAssetId } from "../../../../web/src/pages/asset/asset-id.ts";
import { viewOf } from "../../../../web/src/pages/asset/asset-view.ts";
import { publicHistory } from "../../../../web/src/pages/asset/facts/public-history.ts";

const asset = {
  id: "0x1",
  createdOn: "2026-11-28T02:10:45.000+00:00",
  blockNumber: 12,
} as unknown as PublicAsset;
const refusal = (code: "ASSET_NOT_FOUND" | "RATE_LIMITED") =>
  new RegistryError({
    ...{ code, message: code, status: 404, details: [] },
    ...{ requestId: undefined, retryAfter: undefined },
  });

describe("the id in the address of an asset's page", () => {
  it("is read in any case, with and without 0x", () => {
    const id = `0x${"ab".repeat(32)}`;
    for (const text of [id, id.toUpperCase(), "AB".repeat(32), ` ${id}\n`]) {
      expect(readAssetId(text), text).to.deep.equal({ id });
    }
  });

  it("is none with other digits, which are counted where they are hex", () => {
    const given: [string, number][] = [
      ["0x12", 2],
      ["ab".repeat(31), 62],
      ["0x", 0],
      ["", 0],
      ["lease", 0],
    ];
    for (const [text, digits] of given) expect(readAssetId(text), text).to.deep.equal({ digits });
    expect(readAssetId("f".repeat(1_000_000))).to.deep.equal({ digits: 0 });
  });
});

describe("how an asset stands", () => {
  const gone = refusal("ASSET_NOT_FOUND");
  const away = new ConnectionError("No answer arrived.");

  it("is known only once the service has answered", () => {
    expect(viewOf(undefined, null)).to.deep.equal({ state: "loading" });
    expect(viewOf(asset, null)).to.deep.equal({ state: "shown", asset });
  });

  it("is unknown where it never was on the chain, and removed where it was", () => {
    expect(viewOf(undefined, gone)).to.deep.equal({ state: "unknown" });
    expect(viewOf(asset, gone)).to.deep.equal({ state: "removed", asset });
  });

  it("is neither where the service could not be asked", () => {
    for (const error of [away, refusal("RATE_LIMITED"), new TypeError("?")]) {
      expect(viewOf(undefined, error)).to.deep.equal({ state: "failed", error });
      expect(viewOf(asset, error)).to.deep.equal({ state: "stale", asset, error });
    }
  });

  it("is told in states as far as the chain knows them", () => {
    const committed = { state: "Committed", at: asset.createdOn, blockNumber: 12 };
    expect(publicHistory({ ...asset, final: false })).to.deep.equal([committed]);
    expect(publicHistory({ ...asset, final: true })).to.deep.equal([committed, { state: "Confirmed" }]);
  });
});
