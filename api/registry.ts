import type { Address } from "viem";
import { type Cursor, readCursor } from "../db/cursor.ts";
import type { Pool } from "../db/pool.ts";
import { ApiError } from "../domain/errors.ts";
import type { Registry } from "../domain/typed-data.ts";
import { type Chain, NodeUnavailableError } from "./chain.ts";

/**
 * Tells which registry on which chain this service serves: the address from the configuration, the chain
 * from the node. While the node is down the index says which chain it is of.
 */
export function servedRegistry(pool: Pool, chain: Chain, address: Address): () => Promise<Registry> {
  let known: Registry | undefined;
  return async () => {
    if (known !== undefined) return known;
    const cursor = await readCursor(pool);
    const answer = await nodesChainId(chain, cursor);
    const mismatch = cursor && registryMismatch(cursor, { chainId: answer.chainId, address });
    if (mismatch !== undefined) throw new ApiError("NOT_READY", mismatch);
    const registry = { chainId: answer.chainId, address };
    if (answer.byNode && cursor !== undefined) known = registry;
    return registry;
  };
}

async function nodesChainId(chain: Chain, cursor: Cursor | undefined) {
  try {
    return { chainId: await chain.chainId(), byNode: true };
  } catch (error) {
    if (cursor === undefined || !(error instanceof NodeUnavailableError)) throw error;
    return { chainId: cursor.chainId, byNode: false };
  }
}

/** What is wrong where the index was made for another registry than the one that is served. */
export function registryMismatch(cursor: Cursor, served: Registry): string | undefined {
  if (cursor.registry === served.address && cursor.chainId === served.chainId) return undefined;
  return (
    `The database holds the registry ${cursor.registry} on chain ${cursor.chainId}, ` +
    `but this service is set to ${served.address} on chain ${served.chainId}.`
  );
}
