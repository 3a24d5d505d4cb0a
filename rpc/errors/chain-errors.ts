/** The chain changed between two calls, or another indexer moved the index: read again. */
export class ChainMovedError extends Error {
  override readonly name = "ChainMovedError";
}

/** Every provider serves another chain than the one expected: somebody must correct RPC_URL. */
export class WrongChainError extends Error {
  override readonly name = "WrongChainError";
}
