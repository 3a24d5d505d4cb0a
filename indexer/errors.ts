/**
 * Two families of trouble. Whatever is no FatalError may pass by itself and is tried again; a FatalError
 * stays until an operator acts, so the writing stops and the data is left alone.
 */
export class FatalError extends Error {
  override readonly name = "FatalError";
}

/** The node gave an answer that cannot be used; names the call, so that an operator can repeat it. */
export class NodeAnswerError extends Error {
  override readonly name = "NodeAnswerError";

  constructor(method: string, params: unknown, problem: string) {
    super(`The node's answer to ${method} ${JSON.stringify(params)} cannot be used: ${problem}`);
  }
}

/** The chain changed between two calls, or another indexer moved the cursor: read again. */
export class ChainMovedError extends Error {
  override readonly name = "ChainMovedError";
}

/** Seconds to wait after the nth failure in a row. */
export function backOff(failures: number): number {
  return Math.min(30, 2 ** Math.min(failures, 5) / 2);
}
