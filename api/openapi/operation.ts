import type { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiSecuritySchemeObject } from "zod-openapi";
import { limits } from "../../domain/limits.ts";
import type { Access } from "../operation/caller.ts";
import { type Route, takesIdempotencyKey } from "../operation/route.ts";
import { responsesOf } from "./responses.ts";

/** Alternative security requirements; all parts of one are needed. */
const security: Record<Access, NonNullable<ZodOpenApiOperationObject["security"]>> = {
  key: [{ apiKey: [] }, { apiKey: [], identityToken: [] }],
  bearer: [{ identityToken: [] }, { identityToken: [], apiKey: [] }],
  either: [{ apiKey: [] }, { identityToken: [] }, { apiKey: [], identityToken: [] }],
  capability: [{}, { apiKey: [] }, { identityToken: [] }],
  open: [],
  public: [],
};

export const securitySchemes: Record<string, ZodOpenApiSecuritySchemeObject> = {
  apiKey: { type: "apiKey", in: "header", name: "X-API-KEY", description: "The key of a tenant" },
  identityToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: `A token of the identity provider, of at most ${limits.identityTokenLength} characters`,
  },
};

export const tags = [
  { name: "assets", description: "Assets and the links between them" },
  {
    name: "public",
    description: "What is on the chain, for everybody: no key is needed, and none is looked at",
  },
  { name: "transactions", description: "What authors sign or refuse" },
  { name: "wallets", description: "Addresses of a user" },
  { name: "events", description: "What happened, in the order in which it did" },
  { name: "webhooks", description: "Receivers of events, by a key of scope `webhooks`" },
  { name: "service", description: "The service itself" },
];

/** Describes one operation, its parameters, body and answers by their schemas. */
export function describeOperation(route: Route): ZodOpenApiOperationObject {
  const { body } = route;
  return {
    operationId: operationId(route),
    tags: [tagOf(route.path)],
    summary: route.summary,
    security: security[route.access],
    requestParams: { ...named("path", route.params), ...named("query", route.query) },
    parameters: [
      { $ref: "#/components/parameters/RequestId" },
      ...(takesIdempotencyKey(route) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
      ...("open" in route ? [{ $ref: "#/components/parameters/LastEventId" }] : []),
    ],
    ...(body === undefined ? {} : { requestBody: requestBody(route, body) }),
    responses: responsesOf(route),
  };
}

const named = (place: "path" | "query", schema: z.ZodType | undefined) =>
  schema === undefined ? {} : { [place]: schema };

function requestBody({ bodyOptional }: Route, schema: z.ZodType) {
  return {
    required: bodyOptional !== true,
    description: `One JSON object of at most ${limits.bodyBytes} bytes`,
    content: { "application/json": { schema } },
  };
}

/** `GET /assets/{assetId}/status` is `getAssetStatus`: a parameter makes one thing of the many before it. */
function operationId({ method, path }: Pick<Route, "method" | "path">): string {
  const words: string[] = [];
  for (const segment of path.split("/").filter(Boolean)) {
    if (segment.startsWith("{")) words.push((words.pop() ?? "").replace(/s$/, ""));
    else words.push(...segment.split(/[^A-Za-z0-9]+/));
  }
  const named = words.length === 0 ? ["service"] : words;
  return method + named.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function tagOf(path: string): string {
  const [first = ""] = path.split("/").filter(Boolean);
  return tags.some(({ name }) => name === first) ? first : "service";
}
