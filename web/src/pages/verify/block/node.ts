import {
  agreedBlock,
  type BlockPlace,
  type NodeBlock,
  type NodeQuestions,
  nodeBlock,
  nodeCall,
  nodeQuestions,
  readNodeAnswer,
  readNodeText,
  type TrustedBlock,
} from "asset-registry-proof";
import { texts } from "../../../texts/texts.ts";

/** A trusted block, or why nodes tell none. */
export type Trust = { block: TrustedBlock } | { reason: string };

/** Milliseconds in which a node must answer. */
const PATIENCE = 20_000;

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
  const { target, init } = nodeCall(url, method, params);
  const response = await fetch(target, {
    ...init,
    // Nothing that this browser knows of the node goes there, nor where the visitor comes from.
    credentials: "omit",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
  });
  const text = await readNodeText(response.body);
  if (text === undefined) throw new Refusal(words.tooLarge);
  const answer = readNodeAnswer(text);
  if ("result" in answer && response.ok) return answer.result;
  throw new Refusal(("said" in answer ? answer.said : undefined) ?? `HTTP ${response.status}`);
}
