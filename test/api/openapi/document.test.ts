import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { allRoutes } from "../../../api/routes.ts";
import { errorTable } from "../../../domain/errors.ts";
import { limits } from "../../../domain/limits.ts";
import { assetStates } from "../../../domain/request/state.ts";
import { startApi, type TestApi } from "../../support/api.ts";
import { document, expectValid } from "../../support/contract.ts";

describe("the OpenAPI document", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  it("is served to everybody, as the code makes it", async () => {
    const { status, headers, value } = await api.get("/openapi.json", { key: null });
    expect(status).to.equal(200);
    expect(headers.get("content-type")).to.equal("application/json; charset=utf-8");
    expect(JSON.parse(value)).to.deep.equal(JSON.parse(JSON.stringify(document)));
  });

  it("is valid OpenAPI 3.1, and the validator refuses one that is not", async () => {
    const copy = () => JSON.parse(JSON.stringify(document));
    const validator = new Validator();
    expect(await validator.validate(copy())).to.deep.equal({ valid: true });
    expect(validator.version).to.equal("3.1");
    const broken = copy();
    broken.paths["/assets/"].post.responses = { 202: {} };
    expect((await new Validator().validate(broken)).valid).to.equal(false);
  });

  it("says of each parameter what it is: numbers as integers in their bounds, states as a list", () => {
    const found = (path: string, name: string) => {
      const parameters = document.paths[path]?.["get"]?.parameters as { name?: string; schema: object }[];
      return parameters.find((parameter) => parameter.name === name)?.schema;
    };
    for (const path of ["/assets/", "/transactions/", "/assets/{assetId}/links"]) {
      expect(found(path, "size"), path).to.deep.equal({ type: "integer", minimum: 1, maximum: 200 });
      expect(found(path, "page"), path).to.deep.equal({ type: "integer", minimum: 1, maximum: 10_000 });
    }
    for (const path of ["/assets/", "/transactions/"]) {
      expect(found(path, "state"), path).to.deep.equal({ type: "string", enum: [...assetStates] });
    }
  });

  it("has nothing that linters warn of: parts that nobody uses, and what they take for forbidden", () => {
    const text = JSON.stringify(document);
    const outside = ["responses NoSuchPath", "responses NoSuchMethod"];
    const unused = Object.entries(document.components)
      .filter(([kind]) => kind !== "securitySchemes")
      .flatMap(([kind, parts]) => Object.keys(parts).map((name) => [kind, name] as const))
      .filter(([kind, name]) => !text.includes(`"#/components/${kind}/${name}"`))
      .map((names) => names.join(" "));
    expect(unused).to.have.members(outside);
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { responses, summary, operationId }] of Object.entries(operations)) {
        expect(summary && operationId, `${method} ${path}`).to.be.a("string");
        for (const [status, response] of Object.entries(responses)) {
          if (Number(status) < 400) continue;
          const { schema } = (response as { content: Record<string, { schema: { allOf: object[] } }> })
            .content["application/json"] as { schema: { allOf: object[] } };
          // Beside `Failure`, which says all of it, the narrowed code must not seem to be the whole.
          const [, narrowed] = schema.allOf;
          expect(narrowed, `${method} ${path} ${status}`).to.include({ additionalProperties: true });
          expect(narrowed).to.have.nested.property("properties.error.additionalProperties", true);
        }
      }
    }
  });

  it("resolves every reference", () => {
    for (const [, pointer = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = pointer
        .split("/")
        .reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], document);
      expect(found, pointer).to.be.an("object");
    }
  });

  it("has every operation under one name, and every code of its errors with the HTTP status of the table", () => {
    const operations = allRoutes.map(({ method, path }) => document.paths[path]?.[method]);
    const names = operations.map((operation) => operation?.operationId);
    expect(new Set(names).size).to.equal(allRoutes.length);
    expect(names).to.include.members([
      "postAssets",
      "getAssetStatus",
      "patchAssetLinks",
      "postWalletConfirm",
    ]);
    for (const [index, { errors }] of allRoutes.entries()) {
      const responses = operations[index]?.responses ?? {};
      for (const code of errors) {
        expect(JSON.stringify(responses[errorTable[code].status]), `${names[index]} ${code}`).to.include(
          `"${code}"`,
        );
      }
    }
  });

  it("has an example of every error", () => {
    expect(Object.keys(document.components.examples)).to.have.members(Object.keys(errorTable));
    for (const example of Object.values(document.components.examples)) {
      expectValid((example as { value: unknown }).value, "components", "schemas", "Failure");
    }
  });

  it("has examples that its own schemas allow", () => {
    const withExamples = Object.entries(document.components.schemas).filter(
      ([, schema]) => schema["examples"],
    );
    expect(withExamples).to.not.have.lengthOf(0);
    for (const [name, { examples }] of withExamples) {
      for (const example of examples as unknown[]) expectValid(example, "components", "schemas", name);
    }
  });

  it("says every limit", () => {
    const { text, page, ...others } = limits;
    for (const limit of [...Object.values(others), ...Object.values(page)]) {
      expect(document.info.description).to.include(limit.toLocaleString("en"));
    }
    const fields = document.components.schemas["AssetCreation"]?.["properties"] as Record<string, object>;
    for (const [field, max] of Object.entries(text)) expect(fields[field]).to.include({ maxLength: max });
  });

  it("allows no field that it does not name", () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      if (schema["properties"] !== undefined) expect(schema["additionalProperties"], name).to.equal(false);
    }
  });
});

describe("the page of the document", () => {
  let page: string;
  before(async () => {
    const api = await startApi();
    try {
      const answer = await api.get("/docs/", { key: null });
      expect(answer.headers.get("content-type")).to.equal("text/html; charset=utf-8");
      page = answer.value;
    } finally {
      await api.stop();
    }
  });

  it("shows every operation, schema and error", () => {
    for (const { path, summary } of allRoutes)
      expect(page).to.include(path).and.include(summary.replaceAll("'", "&#39;"));
    for (const name of Object.keys(document.components.schemas)) expect(page).to.include(`id="${name}"`);
    for (const code of Object.keys(errorTable)) expect(page).to.include(`<code>${code}</code>`);
  });

  it("leads nowhere that is not there", () => {
    for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) expect(page).to.include(`id="${id}"`);
  });

  it("runs no script, fetches nothing and lets in no style but its own", () => {
    expect(page).to.not.match(/<script|<link|<img|\son\w+=|\sstyle=|url\(|@import/i);
    expect(page).to.match(
      /Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-/,
    );
    for (const [, target = ""] of page.matchAll(/(?:href|src)="([^"]*)"/g))
      expect(target).to.match(/^(#|\/openapi)/);
  });
});
