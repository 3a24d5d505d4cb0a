import { rm } from "node:fs/promises";
import { program, runCheck } from "./checks/run-check.ts";

// npm runs this before it packs, also in a clone where nothing is installed. Only errors are printed: what npm
// itself prints on standard output is the name of the packed file.
// Files of an earlier version must not be packed.
await rm("dist", { recursive: true, force: true });
const tsc = [program("typescript", "tsc"), "--project", "tsconfig.client.json"];
const { passed, output } = await runCheck({ name: "types of the client", commands: [tsc] });
if (!passed) {
  console.error(output);
  process.exitCode = 1;
}
