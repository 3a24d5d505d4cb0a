import {
  agreedBlock,
  type BlockPlace,
  type NodeBlock,
  type NodeQuestions,
  nodeBlock,
  nodeQuestions,
  type TrustedBlock,
} from "asset-registry-proof";
import { texts } from "../../../texts/texts.ts";

/** A trusted block, or why nodes tell none. */
export type Trust = { block: TrustedBlock } | { reason: string };

/** Milliseconds in which a node must answer. */
const PATIENCE = 20_000;
/** Most bytes of an answer: a block with the hashes of its transactions. */
const mostAnswerBytes = 4 * 1024 * 1024;

const words = texts.verify.nodes;

/** The hash of a block on which all these nodes agree, and which each calls final. */
export async function askNodes(urls: readonly string[], at: BlockPlace, signal: AbortSignal): Promise<Trust> {
  const told = await Promise.all(urls.map((url) => tellBlock(url, at, signal)));
  const blocks: NodeBlock[] = [];
  for (const one of told) {
    if ("reason" in one) return { reason: one.reason };
    blocks.push(one);
  }
  const agreed = agreedBlock(blocks, at);
  return "reason" in agreed ? { reason: agreed.reason } : { block: agreed };
}

async function tellBlock(
  url: string,
  at: BlockPlace,
  signal: AbortSignal,
): Promise<NodeBlock | { reason: string }> {
  const { host } = new URL(url);
  const questions = nodeQuestions(at);
  const ask = (name: keyof NodeQuestions) => askNode(url, ...questions[name], signal);
  try {
    const [chainId, finalized, block] = await Promise.all([ask("chainId"), ask("finalized"), ask("block")]);
    return nodeBlock(host, at, { chainId, finalized, block });
  } catch (error) {
    signal.throwIfAborted();
    return { reason: error instanceof Refusal ? words.refused(host, error.message) : words.away(host) };
  }
}

/** A node's answer that is no result. */
class Refusal extends Error {}

async function askNode(
  url: string,
  method: string,
  params: unknown[],
  signal: AbortSignal,
): Promise<unknown> {
  const { target, headers } = addressOf(url);
  const response = await fetch(target, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    // Nothing that this browser knows of the node goes there, nor where the visitor comes from.
    credentials: "omit",
    referrerPolicy: "no-referrer",
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
  });
  const answer = parsed(await boundedText(response));
  if (answer !== undefined && "result" in answer && response.ok) return answer.result;
  const message = answer?.error?.message;
  throw new Refusal(typeof message === "string" ? message.slice(0, 200) : `HTTP ${response.status}`);
}

/** A browser takes no URL with a password in it. */
function addressOf(url: string): { target: string; headers: Record<string, string> } {
  const target = new URL(url);
  const { username, password } = target;
  if (username === "") return { target: target.href, headers: {} };
  [target.username, target.password] = ["", ""];
  const secret = btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { target: target.href, headers: { authorization: `Basic ${secret}` } };
}

async function boundedText({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) return text;
    size += value.length;
    if (size > mostAnswerBytes) {
      await reader?.cancel();
      throw new Refusal(words.tooLarge);
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parsed(text: string): { result?: unknown; error?: { message?: unknown } } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
