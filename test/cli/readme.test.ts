import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { createProgram } from "../../cli/src/commands/program.ts";
import { exitCodes } from "../../cli/src/problem.ts";

const root = join(import.meta.dirname, "..", "..");
const readme = readFileSync(join(root, "cli", "README.md"), "utf8");
const sources = globSync("cli/src/**/*.ts", { cwd: root }).map((path) =>
  readFileSync(join(root, path), "utf8"),
);

/** The first cells of the table whose head begins so. */
function cells(head: string): string[][] {
  const [, table = ""] = readme.split(`\n| ${head} |`);
  const rows = table.split("\n\n", 1)[0]?.split("\n").slice(2) ?? [];
  return rows.map((row) => row.slice(2, -2).split(" | "));
}

describe("cli/README.md", () => {
  const program = createProgram(
    { stdout: { write: () => {} }, stderr: { write: () => {} } } as never,
    () => {},
  );

  it("lists every command, and no other", () => {
    const commands = program.commands.map((command) => `\`${command.name()}\``);
    expect(cells("Command").map(([name]) => name)).to.have.members(commands);
  });

  it("lists every exit code, and that of Ctrl-C", () => {
    const codes = Object.values(exitCodes).map(String);
    expect(cells("Exit code").map(([code]) => code)).to.deep.equal([...codes, "130"]);
  });

  it("lists every variable of the environment, and no other", () => {
    const named = (text: string) => [...text.matchAll(/ASSET_REGISTRY_[A-Z_]+/g)].map(([name]) => name);
    const read = sources.flatMap((source) =>
      [...source.matchAll(/env\["(ASSET_REGISTRY_[A-Z_]+)"\]/g)].map(([, name]) => name),
    );
    expect([...new Set(named(readme))]).to.have.members([...new Set(read)]);
  });

  it("names only options that a command has, in its table of settings", () => {
    const all = new Set(
      program.commands
        .flatMap((command) => [command, ...command.commands])
        .flatMap(({ options }) => options.map(({ long }) => long)),
    );
    const named = cells("Option").map(([option = ""]) => option.slice(1, -1));
    expect(named).to.have.length(9);
    for (const option of named) expect(all.has(option), option).to.equal(true);
  });
});
