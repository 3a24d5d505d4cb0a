import { rm } from "node:fs/promises";
import { join } from "node:path";
import { program, runCheck } from "./checks/run-check.ts";
import { workspaces } from "./checks/workspaces.ts";

// Writes JavaScript and declarations of the named workspaces, or of all, to their dist/. Each package's `prepack` runs
// it; standard output stays empty, since npm prints the name of the packed file there.
const named = process.argv.slice(2);
for (const workspace of named.length > 0 ? named : workspaces) {
  if (!workspaces.includes(workspace)) throw new Error(`package.json names no workspace ${workspace}`);
  // Files of an earlier version must not be packed.
  await rm(join(import.meta.dirname, "..", workspace, "dist"), { recursive: true, force: true });
  const tsc = [program("typescript", "tsc"), "--project", workspace];
  const { passed, output } = await runCheck({ name: workspace, commands: [tsc] });
  if (passed) continue;
  console.error(output);
  process.exitCode = 1;
}
