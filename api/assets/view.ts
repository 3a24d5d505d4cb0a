import type { z } from "zod";
import type { AssetDetails, AssetId, DetailField } from "../../domain/asset/asset.ts";
import { contentHash as hashContent } from "../../domain/asset/digests.ts";
import { registryTextBytes } from "../../domain/limits.ts";
import { signUrlOf } from "../operation/sign-url.ts";
import { chainTime, isoTime } from "../operation/time.ts";
import { cutTexts } from "./cut-texts.ts";
import { type AssetOutline, type KnownAsset, stateOfAsset } from "./find.ts";
import type { assetAnswer, itemAnswer } from "./schema.ts";

/** Fixed fields of every asset. "A017" is the class of documents. */
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

type Section = Omit<z.input<typeof itemAnswer>, "key" | "value"> & { key: Exclude<DetailField, "name"> };

/** Sections of an asset's texts among its items; the name is a field of the asset. */
const sections: readonly Section[] = [
  { key: "data", ...data, name: "Data" },
  { key: "fileName", ...file, name: "File name" },
  { key: "fileType", ...file, name: "File type" },
  { key: "fileSize", ...file, name: "File size" },
  { key: "method", ...file, name: "Method" },
  { key: "hash", ...file, name: "Hash" },
  { key: "uri", ...file, name: "URI" },
];

/**
 * The Asset (docs/spec.md §2.3), of one shape whether it is on the chain, pending or given up.
 * @param context ids that it points to, the newest final block and the public URL of the service
 * @param longest most code points of each text, which is truncated beyond that. A byte of the chain shows as at most one,
 *   so by default the texts of this registry are whole
 */
export function viewAsset(
  known: KnownAsset,
  { links, finalBlock, publicUrl }: { links: AssetId[]; finalBlock: number; publicUrl: string },
  longest: Readonly<Record<DetailField, number>> = registryTextBytes,
): z.input<typeof assetAnswer> {
  const { id, author, salt, details: whole, raw, contentHash, createdOn, updatedOn } = content(known);
  const { details, cut } = cutTexts(whole, longest);
  const created = isoTime(createdOn);
  return {
    id,
    author,
    salt,
    name: details.name,
    ...constants,
    sparkFactorModifier: `{"type":"FORMULA","start":"${created.slice(0, 19)}Z","t":"1d","f":"1"}`,
    createdOn: created,
    updatedOn: isoTime(updatedOn),
    blockchainHash: contentHash,
    // Computed from the row: other digits mean that the row was changed.
    documentDbHash: hashContent({ author, salt, details: raw }).slice(2),
    ...viewRequest(known, publicUrl),
    customDefinitionItems: itemsOf(details),
    assetLinkIds: links,
    state: stateOfAsset(known, finalBlock).state,
    ...(cut.length > 0 && { truncated: cut }),
  };
}

/** An empty text counts as absent. */
function itemsOf(details: AssetDetails): z.input<typeof itemAnswer>[] {
  const items: z.input<typeof itemAnswer>[] = [];
  for (const { key, type, name, sectionsPath, sectionsPathNames } of sections) {
    const value = details[key];
    if (value !== "") items.push({ key, type, value, name, sectionsPath, sectionsPathNames });
  }
  return items;
}

/** The id of the request and its page; of an asset made without this service, the hash of its transaction alone. */
export function viewRequest({ chain, request }: AssetOutline, publicUrl: string) {
  const asked = (id: string) => ({ transactionId: id, signUrl: signUrlOf(publicUrl, id) });
  if (chain === undefined) return asked(request.id);
  return request === undefined ? { transactionId: chain.position.transactionHash } : asked(request.id);
}

function content({ chain, request }: KnownAsset) {
  if (chain !== undefined) {
    const { id, author, salt, details, raw = details, contentHash } = chain;
    const [createdOn, updatedOn] = [chainTime(chain.createdOn), chainTime(chain.updatedOn)];
    return { id, author, salt, details, raw, contentHash, createdOn, updatedOn };
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
    details,
    createdOn: request.createdAt,
    updatedOn: request.updatedAt,
  };
}
