import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { codes } from "../../proof/src/proof.ts";

describe("proof/README.md", () => {
  it("lists every code with its outcome, and no other", async () => {
    const text = await readFile(join(import.meta.dirname, "..", "..", "proof", "README.md"), "utf8");
    const rows = [...text.matchAll(/^\| `([\w-]+)` \| [\w, ]+ \| ([\w ]+) \| .+ \|$/gm)];
    const listed = rows.map(([, code, outcome]) => `${code}: ${outcome}`);
    const given = Object.entries(codes).flatMap(([outcome, list]) =>
      list.map((code) => `${code}: ${outcome}`),
    );
    expect(listed).to.have.members(given);
  });
});
