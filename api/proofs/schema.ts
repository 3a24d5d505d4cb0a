import { z } from "zod";
import { type AssetId, parseAssetId } from "../../domain/asset/asset.ts";
import { limits } from "../../domain/limits.ts";
import { bounds } from "../../proof/src/document/bounds.ts";
import { proofFormat, proofVersion } from "../../proof/src/document/format.ts";
import { oneText } from "../operation/paging.ts";
import {
  addressAnswer,
  countAnswer,
  hashAnswer,
  hexAnswer,
  idAnswer,
  textAnswers,
} from "../operation/schema-words.ts";

/** Characters of an id and of the comma behind it. */
const idLength = 67;

const children = oneText("a list of asset ids").transform((given, context): AssetId[] => {
  const fail = (problem: string) => {
    context.addIssue(problem);
    return z.NEVER;
  };
  if (given === "") return fail("must not be empty: leave it out");
  const parts = given.length < idLength * limits.proofLinks ? given.split(",") : [];
  if (parts.length === 0 || parts.length > limits.proofLinks) {
    return fail(`must name at most ${limits.proofLinks} assets`);
  }
  const ids: AssetId[] = [];
  for (const part of parts) {
    const id = parseAssetId(part);
    if (id === undefined) return fail("must be asset ids separated by commas, each 0x and 64 hex digits");
    if (ids.includes(id)) return fail(`must name each asset once: ${id} stands there twice`);
    ids.push(id);
  }
  return ids;
});

/** The parameters of a proof. */
export const proofQuery = z.strictObject({
  links: children
    .meta({ type: "string", pattern: "^0x[0-9a-fA-F]{64}(,0x[0-9a-fA-F]{64})*$" })
    .optional()
    .meta({
      description:
        `Ids of at most ${limits.proofLinks} assets, separated by commas: the proof shows of each whether a link to it ` +
        "stands, was revoked or was never added",
    }),
});

const nodes = z.array(hexAnswer).max(bounds.nodes);

/** A proof document of version 1 (docs/proof-format.md). */
export const proofAnswer = z
  .strictObject({
    format: z.literal(proofFormat),
    version: z.literal(proofVersion),
    chainId: z.int().min(1),
    registry: addressAnswer.meta({ description: "Address of the registry's contract" }),
    block: z.strictObject({
      number: countAnswer,
      hash: hashAnswer,
      timestamp: countAnswer.meta({ description: "Unix seconds" }),
      header: hexAnswer.meta({ description: "The whole header in RLP" }),
    }),
    account: z.strictObject({ proof: nodes.meta({ description: "Nodes of the state trie" }) }),
    asset: z.strictObject({
      id: idAnswer,
      author: addressAnswer,
      salt: hashAnswer,
      ...textAnswers,
    }),
    assetSlot: z.strictObject({ proof: nodes.meta({ description: "Nodes of the registry's storage trie" }) }),
    links: z.array(z.strictObject({ child: idAnswer, proof: nodes })).max(limits.proofLinks),
    event: z
      .strictObject({
        blockNumber: countAnswer,
        blockHash: hashAnswer,
        transactionHash: hashAnswer,
        logIndex: countAnswer,
      })
      .meta({ description: "Where the asset was created, which is told and not proven" }),
    explanation: z.string(),
  })
  .meta({
    id: "Proof",
    description: "A proof that can be checked without this service, as docs/proof-format.md describes it",
  });
