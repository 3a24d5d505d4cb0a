import { expect } from "chai";
import fc from "fast-check";
import { padHex, toHex } from "viem";
import { assetAnswer, itemAnswer } from "../../../api/assets/schema.ts";
import { viewAsset } from "../../../api/assets/view.ts";
import type { ChainAsset } from "../../../db/reads/chain-asset.ts";
import { type AssetDetails, detailFields } from "../../../domain/asset/asset.ts";
import { contentHash } from "../../../domain/asset/digests.ts";
import { owner } from "../../support/chain/accounts.ts";

const publicUrl = "https://registry.example";

const bytes32 = (number: number) => padHex(toHex(number), { size: 32 });

/** Any UTF-16, with all that JSON escapes. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc
    .array(
      fc.constantFrom("a", '"', "\\", "\n", "\u0000", "\u007f", "\u2028", "é", "😀", "\ud83d", "</script>"),
      {
        maxLength: 10,
      },
    )
    .map((parts) => parts.join("")),
);
const details = fc.record(
  Object.fromEntries(detailFields.map((field) => [field, text])) as Record<keyof AssetDetails, typeof text>,
);

const onChain = (details: AssetDetails, createdOn: number, updatedOn: number): ChainAsset => ({
  id: bytes32(1),
  author: owner.address,
  salt: bytes32(2),
  details,
  raw: undefined,
  contentHash: bytes32(3),
  position: { blockNumber: 7, transactionIndex: 0, logIndex: 0, transactionHash: bytes32(4) },
  createdOn,
  updatedOn,
});

describe("the view of an Asset", () => {
  const links = [bytes32(5), bytes32(6)];

  it("shows every field as the schema promises, whatever the texts hold", () => {
    const time = fc.integer({ min: 1_600_000_000, max: 4_000_000_000 });
    fc.assert(
      fc.property(details, time, fc.nat({ max: 1 }), (texts, created, later) => {
        const chain = onChain(texts, created, created + later);
        const asset = viewAsset({ chain, request: undefined }, { links, finalBlock: 6, publicUrl });
        const { truncated: _, signUrl: __, ...always } = assetAnswer.shape;
        expect(asset).to.have.all.keys(Object.keys(always));
        expect(assetAnswer.safeParse(asset).error).to.equal(undefined);
        const at = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}.000+00:00`;
        const start = `${new Date(created * 1000).toISOString().slice(0, 19)}Z`;
        expect(asset).to.deep.include({
          id: chain.id,
          author: owner.address,
          salt: chain.salt,
          name: texts.name,
          sparkFactorModifier: JSON.stringify({ type: "FORMULA", start, t: "1d", f: "1" }),
          createdOn: at(created),
          updatedOn: at(created + later),
          blockchainHash: chain.contentHash,
          documentDbHash: contentHash({ author: owner.address, salt: chain.salt, details: texts }).slice(2),
          transactionId: chain.position.transactionHash,
          assetLinkIds: links,
          state: "Committed",
        });
        const items = asset.customDefinitionItems;
        for (const item of items) expect(Object.keys(item)).to.deep.equal(Object.keys(itemAnswer.shape));
        const shown = detailFields.filter((field) => field !== "name" && texts[field] !== "");
        expect(items.map(({ key, value }) => [key, value])).to.deep.equal(
          shown.map((field) => [field, texts[field]]),
        );
      }),
    );
  });

  it("has no items and no links where there are none", () => {
    const none = Object.fromEntries(detailFields.map((field) => [field, ""])) as AssetDetails;
    const chain = onChain(none, 1_700_000_000, 1_700_000_000);
    expect(viewAsset({ chain, request: undefined }, { links: [], finalBlock: 7, publicUrl })).to.deep.include(
      {
        customDefinitionItems: [],
        assetLinkIds: [],
        state: "Confirmed",
      },
    );
  });
});
