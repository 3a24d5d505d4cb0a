import type { z } from "zod";
import { limits } from "../../domain/limits.ts";
import { type Access, type Route, takesIdempotencyKey } from "../operation/route.ts";
import type { Components, JsonSchema } from "./components.ts";
import { responsesOf } from "./responses.ts";

/** Alternatives: one line is enough, and all of a line is needed. */
const security: Record<Access, object[]> = {
  key: [{ apiKey: [] }, { apiKey: [], identityToken: [] }],
  bearer: [{ identityToken: [] }, { identityToken: [], apiKey: [] }],
  either: [{ apiKey: [] }, { identityToken: [] }, { apiKey: [], identityToken: [] }],
  capability: [{}, { apiKey: [] }, { identityToken: [] }],
  open: [],
};

export const securitySchemes = {
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
  { name: "transactions", description: "What authors sign or refuse" },
  { name: "wallets", description: "Addresses of a user" },
  { name: "service", description: "The service itself" },
];

/** One operation as OpenAPI describes it. */
export function describeOperation(route: Route, components: Components) {
  return {
    operationId: operationId(route),
    tags: [tagOf(route.path)],
    summary: route.summary,
    security: security[route.access],
    parameters: [
      ...parameters(route.params, "path", components),
      ...parameters(route.query, "query", components),
      { $ref: "#/components/parameters/RequestId" },
      ...(takesIdempotencyKey(route) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    ],
    ...(route.body === undefined ? {} : { requestBody: requestBody(route, route.body, components) }),
    responses: responsesOf(route, components),
  };
}

/** `GET /assets/{assetId}/status` is `getAssetStatus`: a parameter makes one thing of the many before it. */
export function operationId({ method, path }: Pick<Route, "method" | "path">): string {
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

function parameters(schema: z.ZodType | undefined, place: "path" | "query", components: Components) {
  if (schema === undefined) return [];
  const described = components.add(schema, "input");
  const required = (described["required"] ?? []) as string[];
  const properties = (described["properties"] ?? {}) as Record<string, JsonSchema>;
  return Object.entries(properties).map(([name, { description, ...own }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: own,
  }));
}

function requestBody(route: Route, body: z.ZodType, components: Components) {
  return {
    required: route.bodyOptional !== true,
    description: `One JSON object of at most ${limits.bodyBytes} bytes`,
    content: { "application/json": { schema: components.add(body, "input") } },
  };
}
