import type { Call } from "../client/rpc.ts";

/** Most bytes of an answer for a range of blocks, which can be split, and several of which are read at once. */
const ofRange = 16 * 1024 * 1024;
/** Most bytes of any other answer: a block with some billions of gas spent on logs. */
const ofBlock = 256 * 1024 * 1024;

/** Most bytes of the answer to these calls; a larger one is aborted. */
export function largestAnswer(calls: readonly Call[]): number {
  return calls.some(isRange) ? ofRange : ofBlock;
}

function isRange({ method, params: [place] }: Call): boolean {
  if (method !== "eth_getLogs" || typeof place !== "object" || place === null) return false;
  const { fromBlock, toBlock } = place as { fromBlock?: unknown; toBlock?: unknown };
  return fromBlock !== toBlock;
}
