import type { PublicAsset } from "asset-registry-client";
import { expect } from "chai";
import { provenName } from "../../../../web/src/pages/sign/rules/proven-name.ts";
import { assetId } from "../../../support/asset-id.ts";
import { owner } from "../../../support/chain/accounts.ts";
import { details, registry } from "./asked.ts";

describe("the name of an asset in a request to link", () => {
  const salt = `0x${"5a".repeat(32)}` as const;
  const author = owner.address;
  const id = assetId(registry, { author, salt, details });
  const asset = { ...details, id, author, salt, chainId: 1, registry: author } as unknown as PublicAsset;

  it("is shown where the id belongs to it, in this registry", () => {
    expect(provenName(id, asset, registry)).to.equal("Lease");
  });

  it("is not shown where the service may have made it up", () => {
    for (const [what, answer] of [
      ["another name", { ...asset, name: "Gift" }],
      ["cut texts", { ...asset, data: "Fl", truncated: ["data"] }],
      ["no author", { ...asset, author: "somebody" }],
      ["no texts", { ...asset, data: undefined }],
    ] as const) {
      expect(provenName(id, answer as never, registry), what).to.equal(undefined);
    }
    expect(provenName(id, asset, { ...registry, chainId: 1 })).to.equal(undefined);
    expect(provenName(`0x${"aa".repeat(32)}`, asset, registry)).to.equal(undefined);
  });
});
