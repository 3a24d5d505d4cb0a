import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { allRoutes } from "../../api/routes.ts";
import { limits } from "../../domain/limits.ts";

describe("docs/api.md", () => {
  let text: string;
  before(async () => {
    text = await readFile(join(import.meta.dirname, "..", "..", "docs", "api.md"), "utf8");
  });

  it("names every operation, and no other", () => {
    const named = [...text.matchAll(/`((?:GET|POST|PATCH|PUT|DELETE) \/[^`]*)`/g)].map(([, name]) => name);
    const routes = allRoutes.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect([...new Set(named)]).to.have.members(routes);
  });

  it("names every field of every answer", () => {
    for (const { method, path, answer } of allRoutes) {
      for (const field of Object.keys("shape" in answer ? (answer.shape as object) : {})) {
        expect(text, `${method} ${path}`).to.match(new RegExp(`["\`]${field}["\`]`));
      }
    }
  });

  it("gives the limits as the code has them", () => {
    const { text: max, targets, note } = limits;
    for (const limit of [max.name, max.data, max.uri, max.fileSize, targets, note]) {
      expect(text).to.include(limit.toLocaleString("en"));
    }
  });

  it("stays within 500 lines", () => {
    expect(text.trimEnd().split("\n").length).to.be.at.most(500);
  });
});
