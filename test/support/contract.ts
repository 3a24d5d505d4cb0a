import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "chai";
import { createDocument } from "../../api/openapi/document.ts";
import { mediaType } from "../../api/openapi/responses.ts";
import { allRoutes } from "../../api/routes.ts";

type Operation = {
  operationId: string;
  summary: string;
  security: object[];
  parameters: Record<string, unknown>[];
  requestBody?: {
    content: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>;
  };
  responses: Record<string, object>;
};
type Components = Record<
  "schemas" | "responses" | "headers" | "parameters" | "examples" | "securitySchemes",
  Record<string, Record<string, unknown>>
>;

/** The document of the API, in the parts that tests look at. */
export const document = JSON.parse(JSON.stringify(createDocument(allRoutes))) as {
  info: { description: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: Components;
};

const base = "https://registry.example/openapi.json";
// The document holds more than schemas, so words that are no keywords are no mistake in it.
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...document, $id: base });

const compiled = new Map<string, ValidateFunction>();

/** A check of values against the schema at a place of the document. */
export function validatorAt(...place: (string | number)[]): ValidateFunction {
  const steps = place.map((step) => String(step).replaceAll("~", "~0").replaceAll("/", "~1"));
  const pointer = `${base}#/${steps.map(encodeURIComponent).join("/")}`;
  const known = compiled.get(pointer) ?? ajv.compile({ $ref: pointer });
  compiled.set(pointer, known);
  return known;
}

/** Expects what the schema at a place of the document allows. */
export function expectValid(value: unknown, ...place: (string | number)[]): void {
  const validate = validatorAt(...place);
  if (validate(value)) return;
  const problems = ajv.errorsText(validate.errors, { separator: "\n" });
  expect.fail(`${place.join(" ")} does not allow it:\n${problems}\n${JSON.stringify(value, null, 2)}`);
}

type Received = { method: string; path: string; status: number; contentType: string | null; body: unknown };

/** What was answered by now, in this process: `get /assets/{assetId} 200`. */
export const answered = new Set<string>();

/**
 * Expects an answer that the document describes: its status for this operation, its media type, and every
 * field of its body. What belongs to no operation must be a failure that says so.
 */
export function expectDocumented({ method, path, status, contentType, body }: Received): void {
  const verb = method === "HEAD" ? "get" : method.toLowerCase();
  const route = documentedPath(path);
  const operation = route === undefined ? undefined : document.paths[route]?.[verb];
  if (route === undefined || operation === undefined) {
    expect(status, `${method} ${path} is no operation`).to.be.at.least(400);
    if (body !== undefined) expectStray(body);
    return;
  }
  const documented = operation.responses[status] as { content: Record<string, object> } | undefined;
  if (documented === undefined) expect.fail(`${method} ${route} may not answer ${status}`);
  const type = mediaType(contentType ?? "");
  expect(Object.keys(documented.content), `${method} ${route} ${status}`).to.include(type);
  answered.add(`${verb} ${route} ${status}`);
  if (method === "HEAD") return;
  const value = type === "application/json" && typeof body === "string" ? JSON.parse(body) : body;
  expectValid(value, "paths", route, verb, "responses", status, "content", type, "schema");
}

/** Codes of answers to requests that belong to no operation. */
const codesWithoutOperation = [
  "ROUTE_NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "MALFORMED_PATH",
  "INVALID_REQUEST",
  "HEADERS_TOO_LARGE",
];

function expectStray(body: unknown): void {
  expectValid(body, "components", "schemas", "Failure");
  const { code } = (body as { error: { code: string } }).error;
  expect(code).to.be.oneOf(codesWithoutOperation);
}

/** The path of the document that a request's path belongs to. */
function documentedPath(path: string): string | undefined {
  const plain = path.replace(/\?.*/, "").replace(/(.)\/$/, "$1");
  return Object.keys(document.paths).find((route) => {
    const pattern = route
      .replace(/(.)\/$/, "$1")
      .replaceAll(".", "\\.")
      .replaceAll(/\{\w+\}/g, "[^/]+");
    return new RegExp(`^${pattern}$`).test(plain);
  });
}
