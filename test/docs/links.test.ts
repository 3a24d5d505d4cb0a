import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect } from "chai";
import { workspaces } from "../../scripts/checks/workspaces.ts";

const root = join(import.meta.dirname, "..", "..");
const markdown = (folder: string) => readdirSync(join(root, folder)).filter((name) => name.endsWith(".md"));
const pages = [".", "docs", ...workspaces].flatMap((folder) =>
  markdown(folder).map((name) => join(folder, name)),
);

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, "");
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe("the documentation", () => {
  for (const page of pages) {
    it(`has no link in ${page} that leads nowhere`, () => {
      const text = readFileSync(join(root, page), "utf8");
      const dead: string[] = [];
      for (const [, target = ""] of text.matchAll(/\]\(((?!https?:)[^)\s]+)\)/g)) {
        const [path = "", anchor] = target.split("#");
        const file = path === "" ? page : relative(root, join(root, dirname(page), path));
        const found = existsSync(join(root, file));
        if (!found || (anchor && !anchorsOf(readFileSync(join(root, file), "utf8")).includes(anchor)))
          dead.push(target);
      }
      expect(dead).to.deep.equal([]);
    });
  }

  it("names only files that there are", () => {
    const missing: string[] = [];
    for (const page of pages) {
      const text = readFileSync(join(root, page), "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
      for (const [, file = ""] of text.matchAll(
        /`((?:api|client|config|contracts|db|docs|domain|ignition|indexer|proof|rpc|scripts|test)\/[\w./-]+)`/g,
      )) {
        if (!existsSync(join(root, file))) missing.push(`${page}: ${file}`);
      }
    }
    expect(missing).to.deep.equal([]);
  });

  it("has every section of docs/spec.md that code and tests refer to", () => {
    const sections = [...readFileSync(join(root, "docs/spec.md"), "utf8").matchAll(/^#+ ([\d.]+?)\.? /gm)];
    const known = new Set(sections.map(([, number]) => number));
    const unknown: string[] = [];
    for (const folder of ["api", "client", "db", "domain", "indexer", "proof", "rpc", "scripts", "test"]) {
      if (!existsSync(join(root, folder))) continue;
      for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
        if (!name.endsWith(".ts") || name.includes("node_modules")) continue;
        const text = readFileSync(join(root, folder, name), "utf8");
        for (const [, number = ""] of text.matchAll(/docs\/spec\.md §([\d.]*\d)/g)) {
          if (!known.has(number)) unknown.push(`${folder}/${name}: ${number}`);
        }
      }
    }
    expect(unknown).to.deep.equal([]);
  });
});
