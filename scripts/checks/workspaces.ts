import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** Condition in their `exports` by which the workspaces find each other's sources, so that none has to be built. */
export const sourceCondition = "asset-registry-source";

/** Folders of the npm workspaces, each behind those that it needs. */
export const workspaces: readonly string[] = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
).workspaces;

/** Those of them that are built and published apart from the service; the console is a part of it. */
export const publishedWorkspaces = workspaces.filter((folder) => folder !== "web");
