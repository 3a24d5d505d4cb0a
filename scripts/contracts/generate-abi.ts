import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Makes domain/registry/abi.ts from the compiled contract, for `npm run build`. The file is committed, so the service and
 * its types need no compiler.
 */

const artifact = new URL("../../artifacts/contracts/AssetRegistry.sol/AssetRegistry.json", import.meta.url);

export const abiFile = new URL("../../domain/registry/abi.ts", import.meta.url);

const header = `/**
 * The registry's ABI. Generated from contracts/AssetRegistry.sol by \`npm run build\`; do not edit.
 */
`;

/** The text that domain/registry/abi.ts must have for the contract as it was compiled last. */
export async function registryAbiSource(): Promise<string> {
  const { abi } = JSON.parse(await readFile(artifact, "utf8")) as { abi: unknown };
  // `internalType` names Solidity's own types: nothing that encodes or decodes reads it.
  const json = JSON.stringify(abi, (key, value: unknown) => (key === "internalType" ? undefined : value));
  return formatted(`${header}export const registryAbi = ${json} as const;\n`, abiFile);
}

/** The source as `npm run format` would leave it in that file. */
export function formatted(source: string, file: URL): string {
  const biome = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");
  const run = spawnSync(process.execPath, [biome, "format", `--stdin-file-path=${fileURLToPath(file)}`], {
    input: source,
    encoding: "utf8",
    cwd: new URL("../..", import.meta.url),
  });
  if (run.status !== 0) throw new Error(`biome could not format ${file.pathname}: ${run.stderr}`);
  return run.stdout;
}
