import type { Call } from "../client/rpc.ts";

/** Most bytes of an answer about a range of blocks: it can be asked for in parts, and several are read at once. */
const ofRange = 16 * 1024 * 1024;
/** Most bytes of any other answer: a block, which is all or nothing, of some billions of gas spent on logs. */
const ofBlock = 256 * 1024 * 1024;

/** Most bytes of the answer to these calls. A larger one is given up before it fills the memory. */
export function largestAnswer(calls: readonly Call[]): number {
  return calls.some(isRange) ? ofRange : ofBlock;
}

function isRange({ method, params: [place] }: Call): boolean {
  if (method !== "eth_getLogs" || typeof place !== "object" || place === null) return false;
  const { fromBlock, toBlock } = place as { fromBlock?: unknown; toBlock?: unknown };
  return fromBlock !== toBlock;
}
