import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { validate } from "dockerfile-utils";
import { root, runNode } from "../support/program.ts";

const programs = [
  "api/main.ts",
  "indexer/main.ts",
  "scripts/migrate.ts",
  "scripts/keys.ts",
  "scripts/reindex.ts",
  "scripts/verify.ts",
];

describe("docs/container/Containerfile", () => {
  const text = readFileSync(join(root, "docs", "container", "Containerfile"), "utf8");
  /** What the image takes from the repository. */
  const copied = [...text.matchAll(/^COPY ((?!--from)[^\n]+) \S+$/gm)].flatMap(([, files = ""]) =>
    files.split(" "),
  );
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "asset-registry-image-"));
    for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("has nothing that a linter of such files finds", () => {
    expect(validate(text)).to.deep.equal([]);
    expect(validate("FORM node:24")).to.not.be.empty;
  });

  it("takes from the repository what .dockerignore lets through, and nothing more", () => {
    const ignore = readFileSync(join(root, ".dockerignore"), "utf8").trim().split("\n");
    expect(ignore[0]).to.equal("*");
    expect(new Set(copied)).to.deep.equal(new Set(ignore.slice(1).map((line) => line.replace("!", ""))));
    expect(copied.filter((name) => !existsSync(join(root, name)))).to.deep.equal([]);
  });

  it("builds the console of what it takes, by the command that it names, where the API looks for it", async () => {
    const [, command = "[]"] = /^RUN (\["node".+\])$/m.exec(text) ?? [];
    const [program, ...args] = JSON.parse(command) as string[];
    expect(program).to.equal("node");
    const { code, stderr } = await runNode(args, { cwd: folder }).ended;
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
    expect(readFileSync(join(folder, "web", "dist", "index.html"), "utf8")).to.contain("/console/files/");
    expect(text).to.contain("COPY --from=console /app/web/dist web/dist");
  });

  for (const script of programs) {
    it(`holds all that ${script} loads`, async () => {
      const { code, stdout, stderr } = await runNode([script, "--help"], { cwd: folder }).ended;
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
      expect(stdout).to.include("Usage:");
    });
  }
});
