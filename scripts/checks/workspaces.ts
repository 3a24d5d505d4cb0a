import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** Folders of the npm workspaces: packages that are built and published apart from the service. */
export const workspaces: readonly string[] = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
).workspaces;
