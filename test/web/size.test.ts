import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { consoleFolder } from "../../scripts/console/build-console.ts";

type Chunk = { file: string; css?: string[]; imports?: string[] };

/** Largest first load in bytes: the frame and the first page, compressed by gzip as the least of browsers takes it. */
const most = 250_000;

/** Files that a browser loads for these chunks, each once. */
function filesOf(manifest: Record<string, Chunk>, names: readonly string[]): Set<string> {
  const files = new Set<string>();
  const visit = (name: string) => {
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`the build has no chunk ${name}`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const sheet of chunk.css ?? []) files.add(sheet);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const name of names) visit(name);
  return files;
}

async function compressedSize(files: Iterable<string>): Promise<number> {
  let size = 0;
  for (const file of files) {
    const path = join(consoleFolder, file);
    const zipped = await stat(`${path}.gz`).catch(() => stat(path));
    size += zipped.size;
  }
  return size;
}

describe("the first visit to the console", () => {
  let manifest: Record<string, Chunk>;

  before(async () => {
    manifest = JSON.parse(await readFile(join(consoleFolder, ".vite", "manifest.json"), "utf8"));
  });

  const pages = [
    "home/HomePage",
    "sign/SignPage",
    "asset/AssetPage",
    "verify/VerifyPage",
    "register/RegisterPage",
  ];
  for (const page of pages) {
    it(`loads ${most / 1000} kB at most where it begins at ${page}`, async () => {
      const files = filesOf(manifest, ["index.html", `src/pages/${page}.tsx`]);
      expect(await compressedSize(files)).to.be.at.most(most);
    });
  }
});
