import { readFile } from "node:fs/promises";
import type { Hex } from "viem";

const artifacts = new URL("../../artifacts/", import.meta.url);

export type ImmutableReferences = Record<string, { start: number; length: number }[]>;

/** The registry as it was compiled last. */
export type CompiledRegistry = {
  abi: unknown;
  /** Creation code; the constructor takes no arguments. */
  bytecode: Hex;
  /** Runtime code with zeros where the constructor writes. */
  deployedBytecode: Hex;
  /** Keyed by the compiler's number of each immutable variable. */
  immutableReferences: ImmutableReferences;
  buildInfoId: string;
};

/** Rejects where nothing is compiled. */
export async function compiledRegistry(): Promise<CompiledRegistry> {
  return JSON.parse(
    await readFile(new URL("contracts/AssetRegistry.sol/AssetRegistry.json", artifacts), "utf8"),
  );
}

/** The compiler's input (standard JSON) and output. */
export async function buildInfo(id: string): Promise<{ input: StandardInput; output: StandardOutput }> {
  const [{ input }, { output }] = await Promise.all(
    [`build-info/${id}.json`, `build-info/${id}.output.json`].map(async (file) =>
      JSON.parse(await readFile(new URL(file, artifacts), "utf8")),
    ),
  );
  return { input, output };
}

export type StandardInput = {
  language: string;
  sources: Record<string, { content: string }>;
  settings: Record<string, unknown>;
};

export type StandardOutput = {
  sources: Record<string, { ast: AstNode }>;
  contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
};

export type AstNode = { id: number; nodeType: string; name?: string; nodes?: AstNode[] };
