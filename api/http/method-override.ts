import type { IncomingMessage } from "node:http";
import { ApiError } from "../../domain/errors.ts";

/** Headers of method overrides, in lower case. */
const overrides = ["x-http-method-override", "x-http-method", "x-method-override"];
/** Query parameter of a method override. */
const parameter = "_method";

/** Treats an underscore as a dash, as some gateways do. */
const isOverride = (name: string): boolean => overrides.includes(name.toLowerCase().replaceAll("_", "-"));

/** Whether a request has a method override. */
const overridesMethod = ({ rawHeaders }: IncomingMessage): boolean =>
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
