import type { Address } from "viem";
import type { Pool } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import { ApiError } from "../../domain/errors.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { codeMismatch } from "../../domain/registry/deployed-code.ts";
import type { Node } from "../../rpc/node.ts";

export type ServedRegistry = {
  /** @throws ApiError NOT_READY where the index is of another one */
  (): Promise<Registry>;
  /** The registry by the index position, cached for a second; a write checks it again when it commits. */
  recent(): Promise<Registry>;
};

/** Milliseconds for which the index position is cached. */
const MAX_AGE = 1_000;

/**
 * The registry and chain of this service: the address from the configuration, the chain from the index, whose indexer has
 * checked both with the node. Before there is an index, they are checked here.
 */
export function servedRegistry(pool: Pool, chain: Node, address: Address): ServedRegistry {
  let known: { registry: Registry; at: number } | undefined;
  const read = async (): Promise<Registry> => {
    known = undefined;
    const position = await readIndexPosition(pool);
    if (position === undefined) return { chainId: await unindexedChain(chain, address), address };
    const mismatch = registryMismatch(position, address);
    if (mismatch !== undefined) throw new ApiError("NOT_READY", mismatch);
    const registry = { chainId: position.chainId, address };
    known = { registry, at: performance.now() };
    return registry;
  };
  const recent = async () =>
    known !== undefined && performance.now() - known.at < MAX_AGE ? known.registry : await read();
  return Object.assign(read, { recent });
}

/** @throws ApiError NOT_READY where the registry is not at its address, since nobody should sign a call to it */
async function unindexedChain(chain: Node, address: Address): Promise<number> {
  const [chainId, code] = await Promise.all([chain.chainId(), chain.codeAt(address, "latest")]);
  const mismatch = code === "0x" ? "there is no contract" : codeMismatch(code, address);
  if (mismatch === undefined) return chainId;
  throw new ApiError(
    "NOT_READY",
    `The address ${address} on chain ${chainId} does not hold the registry of this version: ${mismatch}.`,
  );
}

/** The problem of an index of another registry; undefined where it is the same. */
export function registryMismatch(position: IndexPosition, served: Address): string | undefined {
  if (position.registry === served) return undefined;
  return `The database holds the registry ${position.registry}, but this service is set to ${served}.`;
}

/** @throws ApiError NODE_UNAVAILABLE where the node is of another chain: its nonces and fees would be wrong */
export async function requireChain(chain: Node, registry: Registry): Promise<void> {
  const chainId = await chain.chainId();
  if (chainId === registry.chainId) return;
  throw new ApiError(
    "NODE_UNAVAILABLE",
    `The node behind this service is of chain ${chainId}, and the registry is on chain ${registry.chainId}.`,
  );
}
