import type { AssetCreation, RegistryError } from "asset-registry-client";
import { type HashMethod, methodName } from "asset-registry-proof";
import { parseAddress } from "../../../../domain/address.ts";
import { texts } from "../../texts/texts.ts";

/** The texts of a registration, each as it is typed. */
export const fieldNames = [
  "name",
  "author",
  "data",
  "uri",
  "fileName",
  "fileType",
  "fileSize",
  "method",
  "hash",
] as const;

export type FieldName = (typeof fieldNames)[number];
export type Fields = Record<FieldName, string>;

/** Longest texts in code points; an address has a form instead. */
export type Limits = Record<Exclude<FieldName, "author">, number>;

/** What is wrong with a field, as a sentence. */
export type Problems = Partial<Record<FieldName, string>>;

const words = texts.register.problems;

export const emptyFields = Object.fromEntries(fieldNames.map((name) => [name, ""])) as Fields;

/** The fields with what a file says of itself and what was computed of it; a name that was typed stays. */
export function withFile(
  fields: Fields,
  { name, size }: { name: string; size: number },
  { method, digest }: { method: HashMethod; digest: string },
): Fields {
  const end = name.lastIndexOf(".");
  const isOwnName = fields.name.trim() !== "" && fields.name !== fields.fileName;
  return {
    ...fields,
    name: isOwnName ? fields.name : name,
    fileName: name,
    fileType: end > 0 ? name.slice(end + 1).toLowerCase() : "",
    fileSize: String(size),
    method: methodName(method),
    hash: digest,
  };
}

/** The fields without those of a file. */
export const withoutFile = (fields: Fields): Fields => ({
  ...emptyFields,
  name: fields.name === fields.fileName ? "" : fields.name,
  author: fields.author,
  data: fields.data,
  uri: fields.uri,
});

/** Number of Unicode code points, as the service counts; `length` counts an emoji twice. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** What the service would refuse, by field. */
export function problemsOf(fields: Fields, limits: Limits): Problems {
  const problems: Problems = {};
  for (const name of fieldNames) {
    const text = fields[name];
    const problem = name === "author" ? authorProblem(text) : textProblem(text, limits[name]);
    if (problem !== undefined) problems[name] = problem;
  }
  if (fields.name.trim() === "") problems.name = words.nameMissing;
  if (!/^\d*$/.test(fields.fileSize)) problems.fileSize = words.sizeForm;
  if (fields.hash.trim() !== "" && fields.method.trim() === "") problems.method = words.methodMissing;
  return problems;
}

function textProblem(text: string, most: number): string | undefined {
  if (text.includes("\0")) return words.nul;
  if (/\p{Surrogate}/u.test(text)) return words.halfPair;
  const length = codePoints(text);
  return length > most ? words.tooLong(most, length) : undefined;
}

/** What is wrong with an address; undefined where nothing is. */
export function authorProblem(text: string): string | undefined {
  if (text.trim() === "") return words.authorMissing;
  const parsed = parseAddress(text.trim());
  return typeof parsed === "string" ? undefined : words.said(texts.register.fields.author, parsed.problem);
}

/** The body of the request; what is empty counts as absent. */
export function bodyOf(fields: Fields): AssetCreation {
  const given = fieldNames.filter((name) => fields[name] !== "").map((name) => [name, fields[name]]);
  return { ...(Object.fromEntries(given) as AssetCreation), author: fields.author.trim() };
}

/** What the service refused, by field, each with the words of the service. */
export function refusedFields({ details }: RegistryError): Problems {
  const problems: Problems = {};
  for (const { field, message } of details) {
    const name = fieldNames.find((one) => one === field);
    if (name !== undefined) problems[name] ??= words.said(texts.register.fields[name], message);
  }
  return problems;
}

/** An Idempotency-Key for a body: the same for the same body, so that a retry cannot register it twice. */
export function keyKeeper(newKey: () => string): (body: AssetCreation) => string {
  let kept: { body: string; key: string } | undefined;
  return (body) => {
    const text = JSON.stringify(body);
    if (kept?.body !== text) kept = { body: text, key: newKey() };
    return kept.key;
  };
}
