import type { z } from "zod";
import { ApiError, type ErrorCode, type ErrorDetail } from "../../domain/errors.ts";

/** Most bad fields in an answer; a body may have tens of thousands. */
const MOST_DETAILS = 100;

/** Other names of fields, which the specification's text uses. */
const meant = new Map([["linkedAssetIds", "targetAssetIds"]]);

/** @throws ApiError INVALID_REQUEST that names every bad field */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw invalidRequest(result.error.issues.flatMap(detailsOf));
}

/** @throws ApiError with the code of an unknown id, where the path cannot be an id */
export function parsePath<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  notFound: ErrorCode | undefined,
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new ApiError(
    notFound ?? "ROUTE_NOT_FOUND",
    `The id ${result.error.issues[0]?.message ?? "is none"}.`,
  );
}

export function invalidRequest(details: ErrorDetail[]): ApiError {
  const [first, ...others] = details;
  const named = details.slice(0, MOST_DETAILS);
  const count = details.length > MOST_DETAILS ? `, of which the first ${MOST_DETAILS} are named` : "";
  const message =
    others.length === 0
      ? `${first?.field} ${first?.message}.`
      : `${details.length} fields are not right${count}: ${brief(named)}.`;
  return new ApiError("INVALID_REQUEST", message, named);
}

function brief(details: ErrorDetail[]): string {
  const listed = details.slice(0, 3).map(({ field, message }) => `${field} ${message}`);
  return details.length > 3 ? `${listed.join("; ")}; …` : listed.join("; ");
}

function detailsOf(issue: z.core.$ZodIssue): ErrorDetail[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ field: fieldName([...issue.path, key]), message: unknown(key) }));
  }
  return [{ field: fieldName(issue.path), message: issue.message }];
}

function unknown(key: string): string {
  const intended = meant.get(key);
  return intended === undefined ? "is unknown" : `is unknown: did you mean ${intended}?`;
}

function fieldName(path: readonly PropertyKey[]): string {
  const name = path.map(String).join(".");
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}
