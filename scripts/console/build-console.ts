import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { lock } from "../bootstrap/lock.mjs";
import { compressFiles } from "./compress.ts";
import { hashOfSources } from "./sources.ts";

const root = join(import.meta.dirname, "..", "..");
const web = join(root, "web");
/** Holds the hash of the sources that the files beside it were built from. */
const stampName = "sources.sha256";

/** Folder of the built console. */
export const consoleFolder = join(web, "dist");

/** Whether the packages to build with are installed; an image for production has none, and the built files instead. */
export function canBuildConsole(): boolean {
  try {
    createRequire(join(web, "package.json")).resolve("vite");
    return true;
  } catch {
    return false;
  }
}

/** Builds the console unless its files are of the present sources; the files of before are served until it is done. */
export async function buildConsole(): Promise<"built" | "up to date"> {
  const held = await lock(join(root, "node_modules", ".cache", "asset-registry", "console.lock"));
  try {
    const sources = hashOfSources(root);
    const built = await readFile(join(consoleFolder, stampName), "utf8").catch(() => "");
    if (built === sources) return "up to date";
    const next = `${consoleFolder}.next`;
    await runVite(next);
    await compressFiles(next);
    await writeFile(join(next, stampName), sources);
    await rm(consoleFolder, { recursive: true, force: true });
    await rename(next, consoleFolder);
    return "built";
  } finally {
    held.release();
  }
}

/** Builds for production whatever NODE_ENV holds: by it, packages would bring their code for development. */
async function runVite(outDir: string): Promise<void> {
  const { build } = await import("vite");
  const outer = process.env["NODE_ENV"];
  process.env["NODE_ENV"] = "production";
  try {
    await build({
      configFile: join(web, "vite.config.ts"),
      logLevel: "error",
      build: { outDir, emptyOutDir: true },
    });
  } finally {
    if (outer === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = outer;
  }
}
