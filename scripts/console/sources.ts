import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** What the built console follows from, beside the packages of the lock file. */
const folders = ["web", "client/src", "proof/src", "domain"];
const built = new Set(["dist", "node_modules"]);

/** SHA-256 of everything that the console is built of, in hex. */
export function hashOfSources(root: string): string {
  const hash = createHash("sha256");
  for (const file of [
    ...folders.flatMap((folder) => filesIn(join(root, folder))),
    join(root, "package-lock.json"),
  ]) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file).split(sep).join("/")} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      if (built.has(entry.name)) return [];
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(path) : [path];
    });
}
