import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";

const root = join(import.meta.dirname, "../../..");

describe("the package of the client", () => {
  it("shows its types to every way of resolving modules, the oldest too", async () => {
    const { exports, typesVersions } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    // TypeScript's `moduleResolution: node` does not read `exports`, and looks here.
    expect(typesVersions["*"].client).to.deep.equal([exports["./client"].types]);
  });
});
