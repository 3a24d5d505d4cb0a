import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { program, runCheck } from "./checks/run-check.ts";
import { publishedWorkspaces } from "./checks/workspaces.ts";

// Writes JavaScript and declarations of the named publishedWorkspaces, or of all, to their dist/, and of those that they need.
// Each package's `prepack` runs it; standard output stays empty, since npm prints the name of the packed file there.
const root = join(import.meta.dirname, "..");
const named = process.argv.slice(2);
const unknown = named.find((name) => !publishedWorkspaces.includes(name));
if (unknown !== undefined) throw new Error(`no workspace ${unknown} is published`);

/** Whether a package is named, or one that is named needs it. */
const isWanted = (workspace: string) =>
  named.length === 0 || named.some((name) => name === workspace || needs(name, workspace));

function needs(one: string, other: string): boolean {
  const [manifest, { name }] = [one, other].map((folder) =>
    JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")),
  ) as [{ dependencies?: Record<string, string> }, { name: string }];
  return manifest.dependencies?.[name] !== undefined;
}

for (const workspace of publishedWorkspaces.filter(isWanted)) {
  // Files of an earlier version must not be packed.
  await rm(join(root, workspace, "dist"), { recursive: true, force: true });
  const tsc = [program("typescript", "tsc"), "--project", workspace];
  const { passed, output } = await runCheck({ name: workspace, commands: [tsc] });
  if (passed) continue;
  console.error(output);
  process.exitCode = 1;
}
