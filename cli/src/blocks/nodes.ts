import {
  agreedBlock,
  type BlockPlace,
  type NodeBlock,
  type NodeQuestions,
  type NoNodeBlock,
  nodeBlock,
  nodeQuestions,
  type TrustedBlock,
} from "asset-registry-proof";
import type { Io } from "../io.ts";
import { Problem } from "../problem.ts";
import { askNode, hostOf } from "./node.ts";

/**
 * The hash of the block at that place, on which all nodes agree and which each of them calls final.
 * @throws Problem where one does not answer, is of another chain, is not that far, or tells another hash
 */
export async function askNodes(urls: readonly string[], at: BlockPlace, io: Io): Promise<TrustedBlock> {
  // One that is named twice only agrees with itself.
  const nodes = [...new Set(urls)].map((url) => tellBlock(url, at, io));
  return required(agreedBlock(await Promise.all(nodes), at));
}

async function tellBlock(url: string, at: BlockPlace, io: Io): Promise<NodeBlock> {
  const questions = nodeQuestions(at);
  const ask = (name: keyof NodeQuestions) => askNode(url, ...questions[name], io);
  const [chainId, finalized, block] = await Promise.all([ask("chainId"), ask("finalized"), ask("block")]);
  return required(nodeBlock(hostOf(url), at, { chainId, finalized, block }));
}

function required<Told extends object>(told: Told | NoNodeBlock): Told {
  if ("reason" in told) throw new Problem(told.code, told.reason);
  return told;
}
