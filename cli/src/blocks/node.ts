import type { Io } from "../io.ts";
import { causeOf } from "../output/cause.ts";
import { printable } from "../output/printable.ts";
import { misuse, Problem } from "../problem.ts";

/** Milliseconds in which a node must answer. */
const patience = 20_000;

/** Most bytes of an answer: a block with the hashes of its transactions. */
const mostAnswerBytes = 4 * 1024 * 1024;

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
    text = await post(url, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), io);
  } catch (error) {
    io.signal.throwIfAborted();
    if (error instanceof Problem) throw error;
    throw new Problem("rpc-unreachable", `The node ${host} does not answer: ${printable(causeOf(error))}.`);
  }
  const answer = parsed(text);
  if (answer !== undefined && "result" in answer) return answer.result;
  const message = answer?.error?.message;
  const words = typeof message === "string" ? `: ${printable(message.slice(0, 200))}` : " with no JSON-RPC";
  throw new Problem("rpc-refused", `The node ${host} answered ${method}${words}.`);
}

async function post(url: string, body: string, io: Io): Promise<string> {
  const { username, password, href } = new URL(url);
  const headers: Record<string, string> = { "content-type": "application/json" };
  // fetch takes no URL with a password in it.
  if (username !== "")
    headers["authorization"] = `Basic ${btoa(decodeURIComponent(`${username}:${password}`))}`;
  const target = new URL(href);
  [target.username, target.password] = ["", ""];
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(patience)]);
  const response = await io.fetch(target, { method: "POST", headers, body, signal, redirect: "error" });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`HTTP status ${response.status}`);
  }
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > mostAnswerBytes) throw new Error(`its answer is larger than ${mostAnswerBytes} bytes`);
    text += decoder.decode(piece, { stream: true });
  }
  return text;
}

function parsed(text: string): { result?: unknown; error?: { message?: unknown } } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
