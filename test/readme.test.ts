import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { allRoutes } from "../api/routes.ts";
import { settings } from "../config.ts";
import { errorTable } from "../domain/errors.ts";
import { assetStates } from "../domain/request/state.ts";

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFile(join(root, file), "utf8");

/** The rows of the tables behind a heading, without the first two lines. */
async function tableBehind(heading: string, file = "README.md"): Promise<string[]> {
  const text = await read(file);
  const section = text.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2);
}

const row = (...cells: (string | number)[]) => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |");

describe("README.md", () => {
  it("lists every endpoint as the code has it, and no other", async () => {
    const routes = allRoutes.map(({ method, path, access, summary }) =>
      row(`\`${method.toUpperCase()} ${path}\``, access, summary),
    );
    expect(await tableBehind("Endpoints")).to.deep.equal(routes);
  });

  it("lists every state, and no other", async () => {
    const rows = await tableBehind("States");
    const states = rows.map((line) => /^\| `(\w+)` \|/.exec(line)?.[1]);
    expect(states).to.have.members([...assetStates]);
  });

  it("lists every error code as the code has it, and no other", async () => {
    const errors = Object.entries(errorTable).map(([code, { status, when, fix }]) =>
      row(`\`${code}\``, status, when, fix),
    );
    expect(await tableBehind("Errors")).to.deep.equal(errors);
  });

  it("lists with docs/operating.md every environment variable as the code has it, once, and no other", async () => {
    const rows = Object.entries(settings).map(([name, setting]) =>
      row(`\`${name}\``, "default" in setting ? `\`${setting.default}\`` : "", setting.means),
    );
    const [common, rare] = [
      await tableBehind("Configuration"),
      await tableBehind("More variables", "docs/operating.md"),
    ];
    expect([...common, ...rare]).to.have.members(rows);
  });

  it("names only npm scripts and files that there are", async () => {
    const text = await read("README.md");
    const { scripts } = JSON.parse(await read("package.json")) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/npm run (?:--silent )?([a-z:]+)/g)].map(([, name]) => name);
    expect(named).to.not.be.empty;
    expect(Object.keys(scripts)).to.include.members(named);
    for (const [, file] of text.matchAll(/\]\(([^)#:]+)\)/g)) await read(file ?? "");
  });

  it("stays under 200 lines", async () => {
    expect((await read("README.md")).split("\n").length).to.be.below(200);
  });
});

describe(".env.example", () => {
  it("names only variables that the code reads", async () => {
    const names = [...(await read(".env.example")).matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(Object.keys(settings)).to.include.members(names);
  });
});

describe("docs/dependencies.md", () => {
  it("gives a reason for every package, and for no other", async () => {
    const text = await read("docs/dependencies.md");
    const manifest = JSON.parse(await read("package.json")) as Record<string, Record<string, string>>;
    const packages = ["dependencies", "devDependencies"].flatMap((kind) => Object.keys(manifest[kind] ?? {}));
    const firstCells = text.split("\n").map((line) => /^\| (`[^|]+) \|/.exec(line)?.[1] ?? "");
    const named = firstCells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(named).to.have.members(packages.filter((name) => !name.startsWith("@types/")));
  });
});
