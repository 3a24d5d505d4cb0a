/** The chain changed between two calls, or another indexer moved the index: read again. */
export class ChainMovedError extends Error {
  override readonly name = "ChainMovedError";
}

/** Every provider serves another chain than expected: RPC_URL must be corrected. */
export class WrongChainError extends Error {
  override readonly name = "WrongChainError";
}
