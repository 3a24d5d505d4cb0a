import { type Hex, hexToBytes, keccak256, size } from "viem";
import { type AstNode, buildInfo, type CompiledRegistry, compiledRegistry } from "./compiled-registry.ts";
import { formatted } from "./generate-abi.ts";

/**
 * Makes domain/registry/code.ts from the compiled contract, for `npm run build`. The file is committed, so the service
 * knows without a compiler the code that it must meet on the chain.
 */

export const codeFile = new URL("../../domain/registry/code.ts", import.meta.url);

const header = `/**
 * Fingerprint of the registry's runtime code. Generated from contracts/AssetRegistry.sol by \`npm run build\`;
 * do not edit.
 */
`;

/** The text that domain/registry/code.ts must have for the contract as it was compiled last. */
export async function registryCodeSource(): Promise<string> {
  const compiled = await compiledRegistry();
  const code = {
    creationCodeHash: keccak256(compiled.bytecode),
    size: size(compiled.deployedBytecode),
    blankedHash: keccak256(blank(compiled.deployedBytecode)),
    immutables: await immutables(compiled),
  };
  return formatted(`${header}export const registryCode = ${JSON.stringify(code)} as const;\n`, codeFile);

  function blank(hex: Hex): Uint8Array {
    const bytes = hexToBytes(hex);
    for (const { start, length } of Object.values(compiled.immutableReferences).flat()) {
      if (length !== 32)
        throw new Error(`An immutable of ${length} bytes: domain/registry/deployed-code.ts expects 32`);
      bytes.fill(0, start, start + length);
    }
    return bytes;
  }
}

/** Where the constructor writes each immutable variable, by the variable's name. */
async function immutables(compiled: CompiledRegistry): Promise<Record<string, number[]>> {
  const { output } = await buildInfo(compiled.buildInfoId);
  const names = new Map<string, string>();
  for (const { ast } of Object.values(output.sources)) collect(ast);
  return Object.fromEntries(
    Object.entries(compiled.immutableReferences)
      .map(([id, places]) => [names.get(id) ?? id, places.map(({ start }) => start)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

  function collect({ id, nodeType, name, nodes = [] }: AstNode): void {
    if (nodeType === "VariableDeclaration" && name) names.set(String(id), name);
    for (const node of nodes) collect(node);
  }
}
