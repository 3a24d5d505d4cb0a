import type { z } from "zod";
import { type AssetDetails, type DetailField, detailFields } from "../../domain/asset/asset.ts";
import { contentHash as hashContent } from "../../domain/asset/digests.ts";
import { registryTextBytes } from "../../domain/limits.ts";
import { chainTime, isoTime } from "../operation/time.ts";
import { type AssetOutline, type KnownAsset, stateOfAsset } from "./find.ts";
import type { itemAnswer } from "./schema.ts";

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

const constantMembers = JSON.stringify(constants).slice(1, -1);

/** An object as JSON, in a text, around the time at which it starts. */
const [beforeStart = "", behindStart = ""] = JSON.stringify(
  JSON.stringify({ type: "FORMULA", start: "@", t: "1d", f: "1" }),
).split("@");

/** Each item as JSON, without its value: what stands before that, and behind. */
const items = Object.entries(sections).map(([key, { type, name, ...paths }]) => ({
  field: key as Exclude<DetailField, "name">,
  before: `${JSON.stringify({ key, type }).slice(0, -1)},"value":`,
  behind: `,${JSON.stringify({ name, ...paths }).slice(1)}`,
}));

/**
 * The Asset (docs/spec.md §2.3) as JSON, of the same shape whether it is on the chain, asked for or given up. It is put
 * together from texts because it is asked for most: of an object that is made for it, serialising it took longer
 * than all else.
 * @param links what it points to, as a list in JSON
 * @param longest most code points of each text, behind which it is cut: a byte of the chain shows as one at most, so
 * that by default only a registry without limits can have such texts
 */
export function assetJson(
  known: KnownAsset,
  links: string,
  finalBlock: number,
  longest: Readonly<Record<DetailField, number>> = registryTextBytes,
): string {
  const { id, author, salt, details: whole, raw, contentHash, createdOn, updatedOn } = content(known);
  const { details, cut } = cutTexts(whole, longest);
  const created = isoTime(createdOn);
  const updated = updatedOn.getTime() === createdOn.getTime() ? created : isoTime(updatedOn);
  // Made anew from the row: other digits mean that somebody changed it.
  const rowHash = hashContent({ author, salt, details: raw }).slice(2);
  return (
    `{"id":"${id}","author":"${author}","salt":"${salt}","name":${quote(details.name)},${constantMembers},` +
    `"sparkFactorModifier":${beforeStart}${created.slice(0, 19)}Z${behindStart},` +
    `"createdOn":"${created}","updatedOn":"${updated}",` +
    `"blockchainHash":"${contentHash}","documentDbHash":"${rowHash}",` +
    `"transactionId":"${transactionIdOf(known)}","customDefinitionItems":${itemsOf(details)},` +
    `"assetLinkIds":${links},"state":"${stateOfAsset(known, finalBlock).state}"` +
    `${cut.length === 0 ? "" : `,"truncated":${JSON.stringify(cut)}`}}`
  );
}

/** The texts as far as they may be shown, and those of which that is only the beginning. */
function cutTexts(
  details: AssetDetails,
  longest: Readonly<Record<DetailField, number>>,
): { details: AssetDetails; cut: DetailField[] } {
  // Nearly always none: a text has no more code points than its length says.
  const long = detailFields.filter((field) => details[field].length > longest[field]);
  const shown = long.map((field) => [field, beginning(details[field], longest[field])] as const);
  const cut = shown.filter(([field, text]) => text.length < details[field].length).map(([field]) => field);
  return { details: cut.length === 0 ? details : { ...details, ...Object.fromEntries(shown) }, cut };
}

function beginning(text: string, codePoints: number): string {
  let end = 0;
  for (let count = 0; count < codePoints && end < text.length; count += 1) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

function itemsOf(details: AssetDetails): string {
  let list = "";
  for (const { field, before, behind } of items) {
    const value = details[field];
    if (value !== "") list += `${list === "" ? "" : ","}${before}${quote(value)}${behind}`;
  }
  return `[${list}]`;
}

/** Most texts hold nothing that JSON has to escape, and to see that takes less than to escape it. */
const quote = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text));
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const plain = /^[^"\\\u0000-\u001f\ud800-\udfff]*$/;

/** The id of the request; an asset made without the service has the hash of its transaction instead. */
export function transactionIdOf(known: AssetOutline): string {
  if (known.chain === undefined) return known.request.id;
  return known.request?.id ?? known.chain.position.transactionHash;
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
