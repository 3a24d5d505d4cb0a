import { z } from "zod";
import {
  type CreateDocumentOptions,
  createDocument as create,
  type ZodOpenApiComponentsObject,
  type ZodOpenApiObject,
  type ZodOpenApiPathsObject,
} from "zod-openapi";
import { limits } from "../../domain/limits.ts";
import packageJson from "../../package.json" with { type: "json" };
import { failureAnswer } from "../operation/envelope-schema.ts";
import type { Route } from "../operation/route.ts";
import { describeAll } from "./description.ts";
import { describeOperation, securitySchemes, tags } from "./operation.ts";
import { failureExamples, headers, sharedResponses } from "./responses.ts";
import { sentToWebhooks } from "./webhooks.ts";

/** Describes the API as an OpenAPI 3.1 document, made from nothing but the routes and the tables of the code. */
export function createDocument(routes: readonly Route[]) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: describeOperation(route) };
  }
  const description: ZodOpenApiObject = {
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
    webhooks: sentToWebhooks,
    components: {
      schemas: { Failure: failureAnswer },
      responses: sharedResponses(),
      headers,
      parameters,
      examples: failureExamples(),
      securitySchemes,
    },
  };
  return create(description, { override: refine });
}

const parameters = {
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
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    required: false,
    description:
      "The `id` that the stream sent last: it resumes there, whatever `after` says. An EventSource sends it by itself",
    schema: { type: "string", pattern: "^[0-9]{1,15}$" },
  },
} satisfies ZodOpenApiComponentsObject["parameters"];

/** Keeps the examples of a request as they are sent, which zod leaves out, and drops the bounds of a safe integer. */
const refine: NonNullable<CreateDocumentOptions["override"]> = ({ zodSchema, jsonSchema }) => {
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (examples !== undefined) jsonSchema.examples = examples;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
};
