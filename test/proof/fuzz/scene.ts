import { type Hex, padHex } from "viem";
import type { AssetContent } from "../../../domain/asset/asset.ts";
import { type Proof, registryAddress } from "../../../proof/src/proof.ts";
import { assetId } from "../../support/asset-id.ts";
import { slots } from "../../support/proof/node-proof.ts";
import {
  assetWord,
  blockTime,
  createWorld,
  linkWord,
  someAsset,
  type World,
} from "../../support/proof/world.ts";

/** What is true at the block that the verifier trusts. */
export type Truth = {
  chainId: number;
  registry: string;
  block: { number: number; hash: string; timestamp: number };
  assets: Map<
    string,
    { content: AssetContent; createdOn: number; sha256: string; links: Map<string, TrueLink> }
  >;
};

export type TrueLink = { addedOn: number; revokedOn: number };

/** A trusted block, proofs of it, and proofs of other blocks, chains and registries to mix in. */
export type Scene = { truth: Truth; proofs: Proof[]; foreign: Proof[] };

const authors = [
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
] as const;
export const digests = {
  abc: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  other: "e9024f1a07d29d52ad3aa5e1a18e94db1f3a9fd32b89e39d47c472cd99071e13",
} as const;

const [first, second, third] = [
  someAsset(authors[0], {
    name: "Lease",
    method: "SHA-256",
    hash: digests.abc,
    fileName: "M\u00fcller \u{1d11e}.pdf",
  }),
  someAsset(authors[1], { name: "Lease", method: "sha2-256", hash: `0x${digests.other.toUpperCase()}` }),
  someAsset(authors[1], {
    name: "Annex",
    data: '{"b":1.0,"a":2,"a":"\u0000"}',
    method: "SHA-256",
    hash: digests.abc,
  }),
] as const;
const never = padHex("0x77", { size: 32 });

const chainId = 31_337;
const idOf = (asset: AssetContent, place = { chainId, address: registryAddress as Hex }) =>
  assetId(place, asset);

/** Assets and links of the trusted block. */
const standing = new Map<AssetContent, { createdOn: number; links: [AssetContent, TrueLink][] }>([
  [
    first,
    {
      createdOn: blockTime - 9_000,
      links: [
        [second, { addedOn: blockTime - 500, revokedOn: 0 }],
        [third, { addedOn: blockTime - 500, revokedOn: blockTime - 100 }],
      ],
    },
  ],
  [second, { createdOn: blockTime - 8_000, links: [[first, { addedOn: blockTime - 400, revokedOn: 0 }]] }],
]);

export async function createScene(): Promise<Scene> {
  const words: Record<Hex, bigint> = {};
  const assets: Truth["assets"] = new Map();
  for (const [content, { createdOn, links }] of standing) {
    const id = idOf(content);
    words[slots.asset(id)] = assetWord(content.author, createdOn);
    for (const [child, { addedOn, revokedOn }] of links) {
      words[slots.link(id, idOf(child))] = linkWord(addedOn, revokedOn);
    }
    const linked = new Map(links.map(([child, record]) => [idOf(child) as string, record]));
    const sha256 = content === second ? digests.other : digests.abc;
    assets.set(id, { content, createdOn, sha256, links: linked });
  }
  words[slots.asset(idOf(third))] = assetWord("0x0", 0, blockTime - 50);
  const trusted = await createWorld({ words });

  // The same registry before and after, and what a liar would have it hold.
  const elsewhere = [
    await createWorld({
      words: { ...words, [slots.link(idOf(first), idOf(second))]: linkWord(blockTime, blockTime) },
      number: 124,
    }),
    await createWorld({ words: { ...words, [slots.asset(idOf(third))]: assetWord(authors[1], blockTime) } }),
    await createWorld({
      words: { ...words, [slots.asset(idOf(first))]: assetWord(authors[1], 1) },
      timestamp: blockTime + 1,
    }),
    await createWorld({ words, others: 0 }),
  ];
  const place = { chainId: 1, registry: "0x00000000000000000000000000000000000000AA" } as const;
  const foreignId = idOf(first, { chainId: 1, address: place.registry });
  const another = await createWorld({
    ...place,
    words: { [slots.asset(foreignId)]: assetWord(authors[0], 5) },
  });

  const children = [idOf(second), idOf(third), never];
  const proofsOf = async (world: World, contents: readonly AssetContent[]) => [
    ...(await Promise.all(contents.map((content) => world.prove(content)))),
    ...(await Promise.all(
      contents.map((content) =>
        world.prove(
          content,
          children.filter((id) => id !== idOf(content)),
        ),
      ),
    )),
  ];
  const foreign = await Promise.all([
    proofsOf(trusted, [third, someAsset(authors[0], { name: "Unregistered" })]),
    ...elsewhere.map((world) => proofsOf(world, [first, second, third])),
    proofsOf(another, [first]),
  ]);
  return {
    truth: { chainId, registry: registryAddress, block: trusted.block, assets },
    proofs: await proofsOf(trusted, [first, second]),
    foreign: foreign.flat(),
  };
}
