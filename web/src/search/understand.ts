import {
  checksumAddress,
  type HashedFile,
  type HashMethod,
  hashMethods,
  methodName,
  readFileHash,
  readMethod,
} from "asset-registry-proof";

/** A question to the public reads of the service. */
export type Ask =
  | { by: "id"; id: string }
  | { by: "author"; author: string }
  | { by: "hash"; digits: string; method: HashMethod }
  | { by: "name"; text: string }
  | { by: "words"; text: string };

/** Why a text cannot be looked for, though it nearly can; `digits` are those that it has. */
export type SearchProblem =
  | { code: "checksum" | "shortened" | "too-long" | "no-words" }
  | { code: "digits"; digits: number };

/** A text of a search box: a page of the console, questions in the order of their likelihood, or what is wrong with it. */
export type Understood =
  | { kind: "nothing" }
  | { kind: "page"; path: string }
  | { kind: "problem"; problem: SearchProblem }
  | { kind: "search"; asks: Ask[] };

/** Longest text that is looked at, in UTF-16 units; links may be long. */
const longest = 2_000;
/** Fewest hex digits without 0x that are taken for a hash and not for a name. */
const fewestBare = 32;
/** Longest name in characters that the service takes. */
const longestName = 256;

const transaction =
  /^(?:https?:\/\/\S{1,300}\/(?:sign|transactions)\/)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:[/?#]|$)/i;
const assetLink = /^https?:\/\/\S{1,300}\/assets\/(0x[0-9a-f]{64})(?:[/?#]|$)/i;

/** Says what the text of a search box means, without asking anybody. */
export function understand(given: string): Understood {
  const text = given.trim();
  if (text === "") return { kind: "nothing" };
  if (text.length > longest) return problem({ code: "too-long" });
  return asLink(text) ?? asDigits(text) ?? asHash(text) ?? asName(text);
}

const problem = (problem: SearchProblem): Understood => ({ kind: "problem", problem });
const search = (...asks: Ask[]): Understood => ({ kind: "search", asks });

function asLink(text: string): Understood | undefined {
  const [, id] = transaction.exec(text) ?? [];
  if (id !== undefined) return { kind: "page", path: `/sign/${id.toLowerCase()}` };
  const [, asset] = assetLink.exec(text) ?? [];
  return asset === undefined ? undefined : { kind: "page", path: `/assets/${asset.toLowerCase()}` };
}

/** Ids, addresses and hashes in plain hex; without 0x it may be a name, too, since some name documents by their hash. */
function asDigits(text: string): Understood | undefined {
  if (/^(?:0x)?[0-9a-f]{4,64}(?:…|\.\.\.)[0-9a-f]{4,64}$/i.test(text)) return problem({ code: "shortened" });
  const [, prefix, digits = ""] = /^(0x)?([0-9a-f]+)$/i.exec(text) ?? [];
  const isBare = prefix === undefined;
  if (digits === "" || (isBare && digits.length < fewestBare)) return undefined;
  const named: Ask[] = isBare ? [{ by: "name", text }] : [];
  if (digits.length === 64) {
    return search({ by: "id", id: `0x${digits.toLowerCase()}` }, ...hashAsks(digits), ...named);
  }
  const author = digits.length === 40 ? readAddress(digits) : undefined;
  if (digits.length === 40 && !isBare) {
    return author === undefined ? problem({ code: "checksum" }) : search({ by: "author", author });
  }
  const asks: Ask[] = [
    ...(author === undefined ? [] : [{ by: "author" as const, author }]),
    ...hashAsks(digits),
  ];
  return asks.length > 0 ? search(...asks, ...named) : problem({ code: "digits", digits: digits.length });
}

/** An address in one case or with a right checksum. */
function readAddress(digits: string): string | undefined {
  const address = checksumAddress(`0x${digits}`);
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || address === `0x${digits}` ? address : undefined;
}

/** A digest may be of each method whose digests are as long. */
function hashAsks(text: string): Ask[] {
  return hashMethods.flatMap((method) => {
    const read = readFileHash(method, text);
    return read === undefined ? [] : [{ by: "hash", digits: read.digits, method }];
  });
}

/** A hash in another usual form, which is looked for as a name, too: some names look like Base64. */
function asHash(text: string): Understood | undefined {
  const read = readFileHash("", text);
  if (read === undefined) return undefined;
  const method = readMethod(read.method);
  const asks: Ask[] =
    method === undefined ? hashAsks(read.digits) : [{ by: "hash", digits: read.digits, method }];
  if (asks.length === 0) return undefined;
  const named = method === undefined ? asName(text) : undefined;
  return search(...asks, ...(named?.kind === "search" ? named.asks : []));
}

function asName(text: string): Understood {
  if (!/[\p{L}\p{N}\p{S}]/u.test(text)) return problem({ code: "no-words" });
  if ([...text].length > longestName) return problem({ code: "too-long" });
  return search({ by: "name", text }, { by: "words", text });
}

/** The questions for the digests of a file. */
export const asksOfDigests = (digests: HashedFile["digests"]): Ask[] =>
  Array.from(digests, ([method, digits]) => ({ by: "hash", digits, method }));

/** What a question looks for, for one list of results: `SHA2-256` of a hash, else its kind. */
export const nameOfAsk = (ask: Ask): string => (ask.by === "hash" ? methodName(ask.method) : ask.by);
