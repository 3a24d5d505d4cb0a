import { existsSync } from "node:fs";
import { basename, delimiter, dirname } from "node:path";

/**
 * How to start npm with these arguments under this Node: as `file`, `args` and options of `spawn`.
 * The npm that runs us is taken when it says where it is, so that no shell and no PATH is involved.
 */
export function npmCommand(node, args) {
  const cli = process.env.npm_execpath;
  const options = { env: environmentFor(node), windowsHide: true };
  if (cli !== undefined && basename(cli) === "npm-cli.js" && existsSync(cli)) {
    return { file: node, args: [cli, ...args], options };
  }
  if (process.platform !== "win32") return { file: "npm", args, options };
  // Windows starts a .cmd file only through its shell, which splits at spaces.
  const quoted = args.map((arg) => (/\s/.test(arg) ? `"${arg}"` : arg));
  return { file: "npm.cmd", args: quoted, options: { ...options, shell: true } };
}

/** The environment in which `node` means this Node, for install scripts and `#!/usr/bin/env node` too. */
export function environmentFor(node) {
  const environment = { ...process.env };
  // Windows calls it Path, and a second spelling of it would be ignored.
  const name = Object.keys(environment).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  if (node !== process.execPath) environment[name] = dirname(node) + delimiter + (environment[name] ?? "");
  return environment;
}
