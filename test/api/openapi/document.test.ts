import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { allRoutes } from "../../../api/routes.ts";
import { errorTable } from "../../../domain/errors.ts";
import { limits } from "../../../domain/limits.ts";
import { assetStates } from "../../../domain/request/state.ts";
import { expectError, startApi, type TestApi } from "../../support/api.ts";
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
      expect(found(path, "size"), path).to.include({ type: "integer", minimum: 1, maximum: 200 });
      expect(found(path, "page"), path).to.include({ type: "integer", minimum: 1, maximum: 10_000 });
    }
    for (const path of ["/assets/", "/transactions/"]) {
      expect(found(path, "state"), path).to.deep.include({ type: "string", enum: [...assetStates] });
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
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  for (const path of ["/docs", "/docs/"]) {
    it(`is at ${path}, with every file that it names`, async () => {
      const page = await fetch(api.url + path);
      expect(page.status).to.equal(200);
      expect(page.headers.get("content-type")).to.equal("text/html; charset=utf-8");
      const html = await page.text();
      expect(html).to.not.match(/\son\w+=|\sstyle=|<style|<script>/);
      const names = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, name = ""]) => name);
      expect(names).to.have.length(3);
      for (const name of names) {
        const file = await fetch(new URL(name, api.url + path));
        expect(file.status, name).to.equal(200);
        expect(file.headers.get("content-type"), name).to.match(/^text\/(css|javascript); charset=utf-8$/);
        // As a browser asks again for what it has; fetch alone would ask for a new copy.
        const again = {
          headers: { "If-None-Match": file.headers.get("etag") ?? "", "Cache-Control": "max-age=0" },
        };
        expect((await fetch(file.url, again)).status, name).to.equal(304);
        expect((await file.text()).length, name).to.be.above(0);
      }
    });
  }

  for (const [header, value] of [
    ["Range", "bytes=99999999-"],
    ["Range", "bytes=0-9"],
    ["If-Match", '"other"'],
    ["If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"],
  ] as const) {
    it(`sends its files whole to who asks with ${header}: ${value}`, async () => {
      const plain = await fetch(`${api.url}/docs/start.js`);
      const asked = await fetch(plain.url, { headers: { [header]: value } });
      expect(asked.status).to.equal(200);
      expect(await asked.text()).to.equal(await plain.text());
    });
  }

  it("has no other files, and none of another folder", async () => {
    for (const path of [
      "/docs/index.html",
      "/docs/package.json",
      "/docs/..%2fpage-files.ts",
      "/docs/x/start.js",
    ]) {
      expectError(await api.get(path), 404, "ROUTE_NOT_FOUND");
    }
  });
});
