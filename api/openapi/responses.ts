import { STATUS_CODES } from "node:http";
import { z } from "zod";
import type {
  ZodOpenApiHeadersObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from "zod-openapi";
import { type ErrorCode, errorTable } from "../../domain/errors.ts";
import { metaAnswer } from "../operation/envelope-schema.ts";
import { type Route, takesIdempotencyKey } from "../operation/route.ts";
import { errorsOf } from "../operation/route-errors.ts";

const reference = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

export const headers = {
  RequestId: {
    description: "Id of the request, sent by the caller or made by the service; it finds the log's line",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,128}$" },
  },
  RateLimitPolicy: {
    description:
      "The limits that counted this request: `q` requests in `w` seconds; absent where there are none",
    schema: { type: "string", examples: ['"key";q=6000;w=60'] },
  },
  RateLimit: {
    description: "What is left of them: `r` requests in the next `t` seconds",
    schema: { type: "string", examples: ['"key";r=5871;t=42'] },
  },
  RetryAfter: { description: "Seconds to wait before the next try", schema: { type: "integer", minimum: 0 } },
  Replayed: {
    description: "`true` where this answer was given before to the same Idempotency-Key",
    schema: { type: "string", enum: ["true"] },
  },
  Challenge: { description: "The credential that is needed", schema: { type: "string" } },
  Allow: { description: "The methods that the path takes", schema: { type: "string" } },
} satisfies ZodOpenApiHeadersObject;

/** The responses of an operation, by HTTP status. */
export function responsesOf(route: Route): ZodOpenApiResponsesObject {
  const failures = [...byStatus(errorsOf(route))].map(([status, codes]) => [
    status,
    failure(status, codes, headersOf(route)),
  ]);
  return { [route.status]: success(route), ...Object.fromEntries(failures) };
}

const requestId = { "X-Request-Id": reference("headers", "RequestId") };

/** Headers that any answer of an operation may have. */
function headersOf(route: Route): ZodOpenApiHeadersObject {
  if (route.unlimited) return requestId;
  return {
    ...requestId,
    "RateLimit-Policy": reference("headers", "RateLimitPolicy"),
    RateLimit: reference("headers", "RateLimit"),
    ...(takesIdempotencyKey(route) ? { "Idempotency-Replayed": reference("headers", "Replayed") } : {}),
  };
}

function success(route: Route): ZodOpenApiResponseObject {
  const { answer, query, textType, status, warns } = route;
  const hasMeta = answer instanceof z.ZodArray || query !== undefined || warns === true;
  const content =
    textType === undefined ? { "application/json": { schema: envelope(answer, hasMeta) } } : text(textType);
  return {
    description: "open" in route ? streamed : (STATUS_CODES[status] ?? ""),
    headers: headersOf(route),
    content,
  };
}

const text = (type: string) => ({
  [mediaType(type)]: { schema: { type: type.includes("json") ? ("object" as const) : ("string" as const) } },
});

const streamed =
  "Server-sent events: `id` is the sequence number of an event, `event` its kind, and `data` the event (`Event`) as JSON " +
  "in one line. The first is `ready`, whose `id` is the position at which the stream begins; comments are signs of life.";

/** A media type without its parameters, as the document names it. */
export const mediaType = (contentType: string): string => contentType.split(";", 1)[0]?.trim() ?? "";

const envelope = (value: z.ZodType, hasMeta: boolean): z.ZodType =>
  z.strictObject(hasMeta ? { value, meta: metaAnswer.optional() } : { value });

/** A failure with one of these codes, which have one HTTP status. */
function failure(
  status: number,
  codes: readonly ErrorCode[],
  usual: ZodOpenApiHeadersObject = requestId,
): ZodOpenApiResponseObject {
  const more: Record<number, ZodOpenApiHeadersObject> = {
    ...(codes.includes("IDEMPOTENCY_KEY_IN_USE")
      ? { 409: { "Retry-After": reference("headers", "RetryAfter") } }
      : {}),
    401: { "WWW-Authenticate": reference("headers", "Challenge") },
    405: { Allow: reference("headers", "Allow") },
    429: { "Retry-After": reference("headers", "RetryAfter") },
    503: { "Retry-After": reference("headers", "RetryAfter") },
  };
  const narrowed = { code: { enum: [...codes] } };
  // Allows the other fields of Failure explicitly, for linters that expect it.
  const code = {
    properties: { error: { properties: narrowed, additionalProperties: true } },
    additionalProperties: true,
  };
  return {
    description: codes.map((one) => `\`${one}\`: ${errorTable[one].when}`).join("; "),
    headers: { ...usual, ...more[status] },
    content: {
      "application/json": {
        schema: { allOf: [reference("schemas", "Failure"), code] },
        examples: Object.fromEntries(codes.map((one) => [one, reference("examples", one)])),
      },
    },
  };
}

function byStatus(codes: ErrorCode[]): Map<number, ErrorCode[]> {
  return Map.groupBy(codes, (code) => errorTable[code].status);
}

/** Examples of failures by code, with what to do. */
export function failureExamples(): Record<string, object> {
  const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  return Object.fromEntries(
    Object.entries(errorTable).map(([code, { when, fix }]) => [
      code,
      { summary: sentence(fix), value: { value: null, error: { code, message: sentence(when) } } },
    ]),
  );
}

/** Responses outside of any operation. */
export function sharedResponses(): Record<string, ZodOpenApiResponseObject> {
  return {
    NoSuchPath: failure(404, ["ROUTE_NOT_FOUND"]),
    NoSuchMethod: failure(405, ["METHOD_NOT_ALLOWED"]),
  };
}
