import type { FailureReason } from "./node-error.ts";

/** Longest part of a node's message that is read and shown. */
export const longestSaid = 500;
/** Longest part that is read before keys are redacted. */
export const mostWords = 16 * longestSaid;

/**
 * Known words of rate limits, of too large ranges and of calls that cannot succeed, such as for a state that the node has
 * pruned: providers have no common codes for them. They only save time: correctness does not depend on them. Rate limits
 * are matched first, because some words are in both.
 */
const rateLimited =
  /rate.?limit|too many requests|request count|requests? per|requests? limit|throughput|quota|compute units/i;
const tooMuch =
  /more than \d+ (results|logs)|too many (results|logs|blocks)|(block )?range.{0,200}(exceed|large|limit|wide|big|greater|too high)|exceed.{0,200}(range|results)|limited? (the query )?to.{0,200}(range|blocks)|up to a? ?\d+ blocks? range|response (size|too large|is too big)|size exceeded|exceeds? limit|logs matched|query timeout|max.{0,200}block range/i;
const aboutTheCall =
  /revert|method not found|(method|not) supported|unsupported|not available|does not exist|unknown method|invalid opcode|out of gas|insufficient|nonce too|state.{0,40}(pruned|unavailable)|no state|BlockOutOfRange/i;

/** Classifies a JSON-RPC error. */
export function meaningOf(method: string, code: number, said: string): FailureReason {
  if (code === 429 || rateLimited.test(said)) return "rate_limited";
  if (method === "eth_getLogs" && tooMuch.test(said)) return "too_much";
  return "rpc_error";
}

/** Whether an error is certainly about the call itself, so that a retry is useless. */
export const isAboutTheCall = (code: number, said: string): boolean =>
  code === 3 || code === -32601 || aboutTheCall.test(said);

/** The message of a JSON-RPC error; some providers put the details into `data`. */
export function wordsOf({ message, data }: { message?: unknown; data?: unknown }, whole: unknown): string {
  const words = cut(typeof message === "string" ? message : (JSON.stringify(whole) ?? ""));
  const more = cut(typeof data === "string" && !data.startsWith("0x") ? data : reasonIn(data));
  const said = more === undefined || words.includes(more) ? words : `${words} (${more})`;
  return said.replaceAll(/\s+/g, " ");
}

/** Bounds the texts, because searching one in another takes the product of their lengths. */
function cut<Text extends string | undefined>(text: Text): Text {
  return text?.slice(0, mostWords) as Text;
}

function reasonIn(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { message, reason } = data as { message?: unknown; reason?: unknown };
  if (typeof message === "string") return message;
  return typeof reason === "string" ? reason : undefined;
}
