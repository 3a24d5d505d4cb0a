import type { TrustedBlock } from "asset-registry-proof";
import { readBounded } from "../files/read-bounded.ts";
import type { Io } from "../io.ts";
import { printable } from "../output/printable.ts";
import { misuse, Problem } from "../problem.ts";
import { askNodes } from "./nodes.ts";

/** Where the verifier's own block hash comes from. */
export type BlockOptions = { blockHash?: string; blockFile?: string; rpc?: string[] };

/** A block that the verifier trusts, or why there is none, in a sentence with a stable code. */
export type Trust = { block: TrustedBlock } | { code: string; reason: string };

/** Most bytes of a file that tells a block: as a node answers it, with the hashes of its transactions. */
const mostBlockBytes = 1024 * 1024;

const hashForm = /^0x[0-9a-f]{64}$/i;

/**
 * The block at the proof's place from one source of the verifier's own.
 * @throws Problem where several sources are named, or one is malformed
 */
export async function trustedBlock(
  options: BlockOptions,
  at: { chainId: number; number: number } | undefined,
  io: Io,
): Promise<Trust> {
  const { blockHash, blockFile, rpc } = options;
  if (blockHash !== undefined) return { block: { hash: blockHash, source: "given by --block-hash" } };
  if (blockFile !== undefined) return { block: await readBlockFile(blockFile, io) };
  if (rpc === undefined || rpc.length === 0) {
    const how = "give one by --block-hash, --block-file or --rpc";
    return { code: "no-trusted-block", reason: `No block hash of your own was compared: ${how}.` };
  }
  if (at === undefined)
    return { code: "no-trusted-block", reason: "The proof names no block to ask a node for." };
  try {
    return { block: await askNodes(rpc, at, io) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { code: error.code, reason: error.message };
  }
}

/** Checks the form of a block hash on the command line. @throws Problem */
export function blockHashOf(text: string): string {
  if (hashForm.test(text)) return text.toLowerCase();
  throw misuse("block-hash-invalid", `A block hash is 0x and 64 hex digits, not ${printable(text)}.`);
}

/** A file with the hash alone, or with a block in JSON as a node or a block explorer tells it. */
async function readBlockFile(path: string, io: Io): Promise<TrustedBlock> {
  const text = (await readBounded(path, mostBlockBytes, io)).toString("utf8").trim();
  const source = `from the file ${printable(path)}`;
  if (hashForm.test(text)) return { hash: text.toLowerCase(), source };
  const { hash, number } = blockOf(text) ?? {};
  if (typeof hash !== "string" || !hashForm.test(hash)) {
    throw new Problem(
      "block-file-invalid",
      `${printable(path)} holds no block hash: it must be 0x and 64 hex digits, or JSON with a member "hash".`,
    );
  }
  const height =
    typeof number === "string" && /^(0x[0-9a-f]{1,13}|\d{1,15})$/i.test(number) ? Number(number) : number;
  return {
    hash: hash.toLowerCase(),
    source,
    ...(Number.isSafeInteger(height) && { number: height as number }),
  };
}

function blockOf(text: string): { hash?: unknown; number?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    // The answer of a node holds the block as its result.
    const { result } = value as { result?: unknown };
    return typeof result === "object" && result !== null ? result : value;
  } catch {
    return undefined;
  }
}
