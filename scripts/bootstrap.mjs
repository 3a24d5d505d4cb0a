/**
 * Every npm script goes through here: `node scripts/bootstrap.mjs <script.ts> [arguments…]`.
 * Runs on Node 18 and later, needs no package. It sees to a Node that runs TypeScript and to the
 * packages of package-lock.json, then runs the script and ends as the script ends.
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

import { findNode, rememberNode } from "./bootstrap/node.mjs";
import { ensurePackages } from "./bootstrap/packages.mjs";
import { Problem } from "./bootstrap/problem.mjs";
import { runScript } from "./bootstrap/run.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [script, ...args] = process.argv.slice(2);

try {
  if (script === undefined) throw new Problem("Usage: node scripts/bootstrap.mjs <script.ts> [arguments…]");
  const node = await findNode(root);
  await ensurePackages(root, node, script);
  rememberNode(root, node);
  process.exit(await runScript(root, node, script, args));
} catch (error) {
  process.stderr.write(`${error instanceof Problem ? error.message : error.stack}\n`);
  process.exit(1);
}
