import type { TrustedBlock } from "../given.ts";

/** The place of a block: its chain, and its number there. */
export type BlockPlace = { chainId: number; number: number };

/** Calls of JSON-RPC, a method and its parameters each, whose results `nodeBlock` reads. */
export type NodeQuestions = Record<keyof NodeResults, [method: string, params: unknown[]]>;

/** Results of a node for `nodeQuestions`, as it answered them. */
export type NodeResults = { chainId: unknown; finalized: unknown; block: unknown };

/** The hash that a node tells, and the host by which people know it. */
export type NodeBlock = { host: string; hash: string };

/** Why nodes tell no hash that can be trusted: a code for programs, and a sentence for people. */
export type NoNodeBlock = {
  code: "rpc-other-chain" | "rpc-no-final" | "rpc-not-final" | "rpc-no-block" | "rpc-disagree";
  reason: string;
};

/** What to ask a node that is to tell the hash of a block. */
export const nodeQuestions = ({ number }: BlockPlace): NodeQuestions => ({
  chainId: ["eth_chainId", []],
  finalized: ["eth_getBlockByNumber", ["finalized", false]],
  block: ["eth_getBlockByNumber", [`0x${number.toString(16)}`, false]],
});

/** The block's hash where the node is of its chain, has it, and calls it final. */
export function nodeBlock(host: string, at: BlockPlace, results: NodeResults): NodeBlock | NoNodeBlock {
  const chain = readQuantity(results.chainId);
  if (chain !== at.chainId) {
    const other = chain === undefined ? "an unknown chain" : `chain ${chain}`;
    return {
      code: "rpc-other-chain",
      reason: `${host} is a node of ${other}, and the proof is of chain ${at.chainId}.`,
    };
  }
  const final = readQuantity(memberOf(results.finalized, "number"));
  if (final === undefined)
    return { code: "rpc-no-final", reason: `${host} does not say which block is final.` };
  if (final < at.number) {
    const reason = `For ${host} block ${at.number} is not final yet: it is at ${final}. Try again in some minutes.`;
    return { code: "rpc-not-final", reason };
  }
  const hash = memberOf(results.block, "hash");
  // Some nodes answer an older block for one that they do not have.
  const isAsked = readQuantity(memberOf(results.block, "number")) === at.number;
  if (isAsked && typeof hash === "string" && /^0x[0-9a-f]{64}$/i.test(hash))
    return { host, hash: hash.toLowerCase() };
  return { code: "rpc-no-block", reason: `${host} does not have block ${at.number}.` };
}

/** The hash on which all nodes agree. */
export function agreedBlock(told: readonly NodeBlock[], { number }: BlockPlace): TrustedBlock | NoNodeBlock {
  const [first] = told;
  if (first === undefined) return { code: "rpc-no-block", reason: `No node was asked for block ${number}.` };
  const { host, hash } = first;
  const other = told.find((one) => one.hash !== hash);
  if (other !== undefined) {
    const sayings = `${host} says ${hash}, ${other.host} says ${other.hash}`;
    return { code: "rpc-disagree", reason: `The nodes do not agree on block ${number}: ${sayings}.` };
  }
  const hosts = told.map((one) => one.host);
  const source =
    hosts.length === 1
      ? `from the node ${host}`
      : `from ${hosts.length} nodes that agree: ${hosts.join(", ")}`;
  return { hash, number, source };
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** A number as JSON-RPC writes it, up to 2^52 - 1; undefined where it is none. */
export const readQuantity = (value: unknown): number | undefined =>
  typeof value === "string" && /^0x[0-9a-f]{1,13}$/i.test(value) ? Number(value) : undefined;
