import {
  mostNodeAnswerBytes,
  type NodeCall,
  nodeCall,
  readNodeAnswer,
  readNodeText,
} from "asset-registry-proof";
import type { Io } from "../io.ts";
import { causeOf } from "../output/cause.ts";
import { printable } from "../output/printable.ts";
import { misuse, Problem } from "../problem.ts";

/** Milliseconds in which a node must answer. */
const patience = 20_000;

/** The host of a node's URL, whose path may hold a secret. */
export const hostOf = (url: string): string => new URL(url).host;

/** Checks the form of a node's URL on the command line. @throws Problem */
export function nodeUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return text;
  throw misuse("rpc-invalid", "The URL of a node must begin with http:// or https://.");
}

/** Calls a JSON-RPC node. @throws Problem where it does not answer with a result */
export async function askNode(url: string, method: string, params: unknown[], io: Io): Promise<unknown> {
  const host = hostOf(url);
  let text: string;
  try {
    text = await post(nodeCall(url, method, params), io);
  } catch (error) {
    io.signal.throwIfAborted();
    throw new Problem("rpc-unreachable", `The node ${host} does not answer: ${printable(causeOf(error))}.`);
  }
  const answer = readNodeAnswer(text);
  if ("result" in answer) return answer.result;
  const words = answer.said === undefined ? " with no JSON-RPC" : `: ${printable(answer.said)}`;
  throw new Problem("rpc-refused", `The node ${host} answered ${method}${words}.`);
}

async function post({ target, init }: NodeCall, io: Io): Promise<string> {
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(patience)]);
  const response = await io.fetch(target, { ...init, signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`HTTP status ${response.status}`);
  }
  const text = await readNodeText(response.body);
  if (text === undefined) throw new Error(`its answer is larger than ${mostNodeAnswerBytes} bytes`);
  return text;
}
