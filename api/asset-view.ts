import type { z } from "zod";
import { contentHash as hashContent } from "../db/digest.ts";
import type { AssetDetails, AssetId, DetailField } from "../domain/asset.ts";
import { type KnownAsset, type OnChain, stateOfAsset } from "./assets.ts";
import type { AssetAnswer, itemAnswer } from "./schemas/asset.ts";
import { chainTime, isoTime } from "./time.ts";

/** What the registry says of every asset. "A017" is the class of documents. */
const constants = {
  description: "Registry asset",
  language: "en",
  jurisdiction: "EARTH",
  unitOfMeasure: "token",
  sparkFactor: "1",
  assetClass: "A017",
} as const;

const data = {
  type: "TEXT",
  sectionsPath: "[documentation]",
  sectionsPathNames: "[Documentation]",
} as const;
const file = {
  type: "STRING",
  sectionsPath: "[documentation][singlefile]",
  sectionsPathNames: "[Documentation][single file]",
} as const;

type Section = Omit<z.output<typeof itemAnswer>, "key" | "value">;

/** Where each text of an asset stands among its items; the name stands in the asset itself. */
const sections: Record<Exclude<DetailField, "name">, Section> = {
  data: { ...data, name: "Data" },
  fileName: { ...file, name: "File name" },
  fileType: { ...file, name: "File type" },
  fileSize: { ...file, name: "File size" },
  method: { ...file, name: "Method" },
  hash: { ...file, name: "Hash" },
  uri: { ...file, name: "URI" },
};

const placed = Object.entries(sections) as [Exclude<DetailField, "name">, Section][];

/** Builds the Asset of SPEC 2.3, of the same shape whether it is on the chain, asked for or given up. */
export function viewAsset(known: KnownAsset, links: AssetId[], finalBlock: number): AssetAnswer {
  const { id, author, name, texts, raw, salt, contentHash, createdOn, updatedOn } = content(known);
  const createdOnText = isoTime(createdOn);
  return {
    id,
    author,
    salt,
    name,
    ...constants,
    sparkFactorModifier: `{"type":"FORMULA","start":"${createdOnText.slice(0, 19)}Z","t":"1d","f":"1"}`,
    createdOn: createdOnText,
    updatedOn: updatedOn.getTime() === createdOn.getTime() ? createdOnText : isoTime(updatedOn),
    blockchainHash: contentHash,
    // Made anew from the row: other digits mean that somebody changed it.
    documentDbHash: hashContent(author, salt, raw).slice(2),
    transactionId: transactionIdOf(known),
    customDefinitionItems: texts,
    assetLinkIds: links,
    state: stateOfAsset(known, finalBlock).state,
  };
}

/** The id of the request; an asset made without the service has the hash of its transaction instead. */
export function transactionIdOf(known: KnownAsset<OnChain>): string {
  if (known.chain === undefined) return known.request.id;
  return known.request?.id ?? known.chain.position.transactionHash;
}

function content({ chain, request }: KnownAsset) {
  if (chain !== undefined) {
    const { id, author, salt, details, raw = details, contentHash } = chain;
    const [createdOn, updatedOn] = [chainTime(chain.createdOn), chainTime(chain.updatedOn)];
    return {
      id,
      author,
      salt,
      raw,
      contentHash,
      name: details.name,
      texts: items(details),
      createdOn,
      updatedOn,
    };
  }
  if (request.change.kind !== "create" || request.contentHash === undefined) {
    throw new Error(`Request ${request.id} creates no asset`);
  }
  const { salt, details } = request.change;
  return {
    id: request.assetId,
    author: request.author,
    salt,
    raw: details,
    contentHash: request.contentHash,
    name: details.name,
    texts: items(details),
    createdOn: request.createdAt,
    updatedOn: request.updatedAt,
  };
}

/** Written out and in one loop: a list of assets has hundreds of them. */
function items(details: AssetDetails): z.output<typeof itemAnswer>[] {
  const list: z.output<typeof itemAnswer>[] = [];
  for (const [key, { type, name, sectionsPath, sectionsPathNames }] of placed) {
    const value = details[key];
    if (value !== "") list.push({ key, type, value, name, sectionsPath, sectionsPathNames });
  }
  return list;
}
