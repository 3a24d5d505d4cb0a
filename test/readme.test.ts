import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { allRoutes } from "../api/routes.ts";
import { settings } from "../config.ts";
import { errorTable } from "../domain/errors.ts";
import { assetStates } from "../domain/request/state.ts";
import { workspaces } from "../scripts/checks/workspaces.ts";

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFile(join(root, file), "utf8");

/** The rows of the tables behind a heading, without the first two lines. */
async function tableBehind(heading: string, file: string): Promise<string[]> {
  const text = await read(file);
  const section = text.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2);
}

const row = (...cells: (string | number)[]) => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |");

describe("README.md", () => {
  it("names every operation, and no other", async () => {
    const named = [...(await read("README.md")).matchAll(/`((?:GET|POST|PATCH|PUT|DELETE) \/[^`]*)`/g)];
    const routes = allRoutes.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect([...new Set(named.map(([, operation]) => operation))]).to.have.members(routes);
  });

  it("lists every state, and no other", async () => {
    const rows = await tableBehind("States", "README.md");
    const states = rows.map((line) => /^\| `(\w+)` \|/.exec(line)?.[1]);
    expect(states).to.have.members([...assetStates]);
  });

  it("names only npm scripts that there are", async () => {
    const { scripts } = JSON.parse(await read("package.json")) as { scripts: Record<string, string> };
    for (const file of ["README.md", "CONTRIBUTING.md"]) {
      const named = [...(await read(file)).matchAll(/npm run (?:--silent )?([a-z:]+)/g)].map(
        ([, name]) => name,
      );
      expect(named, file).to.not.be.empty;
      expect(Object.keys(scripts), file).to.include.members(named);
    }
  });

  it("stays within 120 lines", async () => {
    expect((await read("README.md")).trimEnd().split("\n").length).to.be.at.most(120);
  });
});

describe("docs/api.md", () => {
  it("lists every endpoint as the code has it, and no other", async () => {
    const routes = allRoutes.map(({ method, path, access, summary }) =>
      row(`\`${method.toUpperCase()} ${path}\``, access, summary),
    );
    expect(await tableBehind("Endpoints", "docs/api.md")).to.deep.equal(routes);
  });

  it("lists every error code as the code has it, and no other", async () => {
    const errors = Object.entries(errorTable).map(([code, { status, when, fix }]) =>
      row(`\`${code}\``, status, when, fix),
    );
    expect(await tableBehind("Errors", "docs/api.md")).to.deep.equal(errors);
  });
});

describe("docs/operating.md", () => {
  it("lists every environment variable as the code has it, once, and no other", async () => {
    const rows = Object.entries(settings).map(([name, setting]) =>
      row(`\`${name}\``, "default" in setting ? `\`${setting.default}\`` : "", setting.means),
    );
    const tables = ["Configuration", "More variables"].map((heading) =>
      tableBehind(heading, "docs/operating.md"),
    );
    expect((await Promise.all(tables)).flat()).to.have.members(rows);
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
    const folders = [".", ...workspaces];
    const manifests: Record<string, Record<string, string>>[] = await Promise.all(
      folders.map(async (folder) => JSON.parse(await read(join(folder, "package.json")))),
    );
    const packages = manifests.flatMap((manifest) =>
      ["dependencies", "devDependencies"].flatMap((kind) => Object.keys(manifest[kind] ?? {})),
    );
    const firstCells = text.split("\n").map((line) => /^\| (`[^|]+) \|/.exec(line)?.[1] ?? "");
    const named = firstCells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(named).to.have.members(
      [...new Set(packages)].filter(
        (name) => !name.startsWith("@types/") && !name.startsWith("asset-registry-"),
      ),
    );
  });
});
