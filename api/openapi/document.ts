import { limits } from "../../domain/limits.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { Route } from "../operation/route.ts";
import { createComponents } from "./components.ts";
import { describeAll } from "./description.ts";
import { describeOperation, securitySchemes, tags } from "./operation.ts";
import { failureExamples, headers, sharedResponses } from "./responses.ts";

export type Operation = ReturnType<typeof describeOperation>;
export type OpenApiDocument = ReturnType<typeof createDocument>;

/** The API as an OpenAPI 3.1 document, made from nothing but the routes and the tables of the code. */
export function createDocument(routes: readonly Route[]) {
  const components = createComponents();
  const responses = sharedResponses(components);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: describeOperation(route, components) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Asset Registry",
      version: packageJson.version,
      description: describeAll(packageJson.description),
      license: { name: packageJson.license, identifier: packageJson.license },
    },
    servers: [{ url: "/", description: "The service that answers this document" }],
    tags,
    paths,
    components: {
      schemas: components.schemas,
      responses,
      headers,
      parameters: {
        RequestId: {
          name: "X-Request-Id",
          in: "header",
          required: false,
          description: "Your own id of the request, to find it in the log; returned where it is usable",
          schema: headers.RequestId.schema,
        },
        IdempotencyKey: {
          name: "Idempotency-Key",
          in: "header",
          required: false,
          description:
            `Your own key of this request, such as a random UUID, of at most ${limits.idempotencyKeyLength} visible ASCII ` +
            "characters, in quotation marks or without. The request sent again with it is carried out once: an answer of " +
            "success is kept, and so is a refusal that only another request can fix.",
          schema: { type: "string", minLength: 1 },
        },
      },
      examples: failureExamples(),
      securitySchemes,
    },
  };
}
