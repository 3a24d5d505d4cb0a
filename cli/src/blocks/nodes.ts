import type { TrustedBlock } from "asset-registry-proof";
import type { Io } from "../io.ts";
import { Problem } from "../problem.ts";
import { askNode, hostOf } from "./node.ts";
import { quantity } from "./quantity.ts";

/** The block of a chain at a height, as a node tells it. */
type Place = { chainId: number; number: number };

/**
 * The hash of the block at that place, on which all nodes agree and which each of them calls final.
 * @throws Problem where one does not answer, is of another chain, is not that far, or tells another hash
 */
export async function askNodes(urls: readonly string[], at: Place, io: Io): Promise<TrustedBlock> {
  const hashes = await Promise.all(urls.map((url) => finalHash(url, at, io)));
  const [hash = ""] = hashes;
  const other = hashes.findIndex((one) => one !== hash);
  const hosts = urls.map(hostOf);
  if (other >= 0) {
    throw new Problem(
      "rpc-disagree",
      `The nodes do not agree on block ${at.number}: ${hosts[0]} says ${hash}, ${hosts[other]} says ${hashes[other]}.`,
    );
  }
  const source =
    urls.length === 1
      ? `from the node ${hosts[0]}`
      : `from ${urls.length} nodes that agree: ${hosts.join(", ")}`;
  return { hash, number: at.number, source };
}

async function finalHash(url: string, at: Place, io: Io): Promise<string> {
  const host = hostOf(url);
  const [chainId, final, block] = await Promise.all([
    askNode(url, "eth_chainId", [], io),
    askNode(url, "eth_getBlockByNumber", ["finalized", false], io),
    askNode(url, "eth_getBlockByNumber", [`0x${at.number.toString(16)}`, false], io),
  ]);
  const chain = quantity(chainId);
  if (chain !== at.chainId) {
    throw new Problem(
      "rpc-other-chain",
      `${host} is a node of chain ${chain}, and the proof is of chain ${at.chainId}.`,
    );
  }
  const finalNumber = quantity(memberOf(final, "number"));
  if (finalNumber === undefined)
    throw new Problem("rpc-no-final", `${host} does not say which block is final.`);
  if (finalNumber < at.number) {
    throw new Problem(
      "rpc-not-final",
      `For ${host} block ${at.number} is not final yet: it is at ${finalNumber}. Try again in some minutes.`,
    );
  }
  const hash = memberOf(block, "hash");
  // Some nodes answer an older block for one that they do not have.
  const isAsked = quantity(memberOf(block, "number")) === at.number;
  if (isAsked && typeof hash === "string" && /^0x[0-9a-f]{64}$/i.test(hash)) return hash.toLowerCase();
  throw new Problem("rpc-no-block", `${host} does not have block ${at.number}.`);
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
