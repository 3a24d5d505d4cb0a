import type { IncomingMessage } from "node:http";
import { ApiError } from "../../domain/errors.ts";

/** Headers by which frameworks let a client ask for another method than the request has, in lower case. */
const overrides = ["x-http-method-override", "x-http-method", "x-method-override"];
/** The same as a parameter of the query. */
const parameter = "_method";

/** Gateways take an underscore in a header's name for a dash. */
const isOverride = (name: string): boolean => overrides.includes(name.toLowerCase().replaceAll("_", "-"));

/** Whether a request asks to be taken for one of another method. */
export const overridesMethod = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.some((name, at) => at % 2 === 0 && isOverride(name));

/**
 * A client that sends PATCH as an overridden POST must not have its links made where it wanted them revoked.
 * @throws ApiError INVALID_REQUEST
 */
export function refuseMethodOverride(request: IncomingMessage, query: object): void {
  const field = overridesMethod(request)
    ? "header"
    : Object.hasOwn(query, parameter)
      ? "parameter"
      : undefined;
  if (field === undefined) return;
  throw new ApiError(
    "INVALID_REQUEST",
    `The method cannot be overridden by a ${field}: send the request with the method that is meant. Nothing was changed.`,
  );
}
