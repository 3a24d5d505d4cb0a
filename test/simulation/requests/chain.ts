import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  getAbiItem,
  type Hash,
  type Hex,
  hexToBytes,
  keccak256,
  toHex,
} from "viem";
import type { AssetDetails } from "../../../domain/asset.ts";
import { registryAbi } from "../../../domain/registry-abi.ts";
import type { Registry } from "../../../domain/typed-data.ts";
import { RpcError } from "../../../indexer/errors.ts";
import type { Header, Log, Node, NodeTransaction, Receipt } from "../../../indexer/node.ts";

export type Call =
  | { kind: "create"; asset: Hex; salt: Hex; details: AssetDetails }
  | { kind: "link" | "revoke"; parent: Hex; child: Hex }
  | { kind: "other" };

export type Sent = {
  hash: Hash;
  raw: Hex;
  author: Address;
  nonce: number;
  fee: number;
  /** Whether its gas limit lets it be executed. */
  enoughGas: boolean;
  call: Call;
  calldata: Hex;
};

export type Executed = { sent: Sent; succeeded: boolean };
type Block = { header: Header; executed: Executed[] };

/** What the node answers to an author's transactions: it takes them, wants ether first, or has no room. */
export type Mood = "takes" | "poor" | "full";

const word = (text: string): Hash => keccak256(toHex(text));

/**
 * A chain with the registry's rules and its node, in memory: blocks that come and go, a pool, and a node that
 * refuses. It knows nothing of the service.
 */
export function simulatedChain(registry: Registry, seed: string) {
  const blocks: Block[] = [];
  const pool = new Map<Hash, Sent>();
  const known = new Map<Hex, Sent>();
  const moods = new Map<Address, Mood>();
  const refusals: { hash: Hash; why: "hopeless" | "later" }[] = [];
  let made = 0;

  const head = () => blocks[blocks.length - 1] as Block;
  const executed = () => blocks.flatMap((block) => block.executed.map((one) => ({ ...one, block })));
  const nonceOf = (author: Address, upTo = head().header.number) =>
    executed().filter(({ sent, block }) => sent.author === author && block.header.number <= upTo).length;
  const poolOf = (author: Address) =>
    [...pool.values()].filter((sent) => sent.author === author).toSorted((a, b) => a.nonce - b.nonce);

  function append(transactions: Executed[] = []): void {
    made += 1;
    const number = blocks.length;
    const header: Header = {
      number,
      hash: word(`${seed} ${made}`),
      parentHash: number === 0 ? word("before") : head().header.hash,
      timestamp: 1_800_000_000 + number,
      logsBloom: undefined,
      baseFeePerGas: 1n,
    };
    blocks.push({ header, executed: transactions });
  }
  append();

  /** What stands after the transactions: assets, and links of a pair as often as they were made. */
  function registryState(all: Executed[]) {
    const assets = new Set<Hex>();
    const standing = new Set<string>();
    const succeeds = ({ call, enoughGas }: Sent): boolean => {
      if (!enoughGas) return false;
      if (call.kind === "other") return true;
      if (call.kind === "create") return !assets.has(call.asset);
      const { kind, parent, child } = call;
      if (!assets.has(parent) || !assets.has(child)) return false;
      return standing.has(parent + child) === (kind === "revoke");
    };
    const run = (sent: Sent): void => {
      const { call } = sent;
      if (call.kind === "create") assets.add(call.asset);
      else if (call.kind === "link") standing.add(call.parent + call.child);
      else if (call.kind === "revoke") standing.delete(call.parent + call.child);
    };
    for (const { sent, succeeded } of all) if (succeeded) run(sent);
    return { assets, standing, succeeds, run };
  }

  /** Puts a transaction into the pool, or says why not in a node's words. */
  function take(sent: Sent): string | undefined {
    if (pool.has(sent.hash) || executed().some((one) => one.sent.hash === sent.hash)) return "already known";
    if (sent.nonce < nonceOf(sent.author)) return "nonce too low";
    const mood = moods.get(sent.author) ?? "takes";
    if (mood === "poor") return "insufficient funds for gas * price + value";
    if (mood === "full") return "txpool is full";
    const rival = poolOf(sent.author).find(({ nonce }) => nonce === sent.nonce);
    if (rival !== undefined && rival.fee >= sent.fee) return "replacement transaction underpriced";
    if (rival !== undefined) pool.delete(rival.hash);
    pool.set(sent.hash, sent);
    return undefined;
  }

  const find = (hash: Hash) => executed().find(({ sent }) => sent.hash === hash);

  const node = {
    header: async (tag: number | "latest" | "finalized") =>
      (typeof tag === "number" ? blocks[tag] : head())?.header,
    headers: async (numbers: readonly number[]) => numbers.map((number) => blocks[number]?.header),
    logsOfBlock: async (_: Address, hash: Hash) => {
      const block = blocks.find(({ header }) => header.hash === hash);
      return (block?.executed ?? []).flatMap((one, index) =>
        one.succeeded ? logsOf(one.sent, (block as Block).header, index) : [],
      );
    },
    nonceAt: async (author: Address, hash: Hash) => {
      const block = blocks.find(({ header }) => header.hash === hash);
      return BigInt(nonceOf(author, block?.header.number));
    },
    receipt: async (hash: Hash): Promise<Receipt | undefined> => {
      const found = find(hash);
      if (found === undefined) return undefined;
      const { number: blockNumber, hash: blockHash } = found.block.header;
      return { blockNumber, blockHash, reverted: !found.succeeded, gasUsed: found.sent.enoughGas ? 1n : 9n };
    },
    transaction: async (hash: Hash): Promise<NodeTransaction | undefined> => {
      const found = find(hash);
      const sent = found?.sent ?? pool.get(hash);
      if (sent === undefined) return undefined;
      return {
        from: sent.author.toLowerCase() as Address,
        to: registry.address.toLowerCase() as Address,
        input: sent.calldata,
        value: 0n,
        nonce: sent.nonce,
        gas: 9n,
        maxFee: 9n,
        blockHash: found?.block.header.hash ?? null,
      };
    },
    send: async (raw: Hex): Promise<Hash> => {
      const sent = known.get(raw) as Sent;
      const problem = take(sent);
      if (problem === undefined) return sent.hash;
      if (problem !== "already known") {
        refusals.push({ hash: sent.hash, why: problem.startsWith("insufficient") ? "hopeless" : "later" });
      }
      throw new RpcError("eth_sendRawTransaction", { code: -32000, message: problem });
    },
    replay: async () => "0x" as Hex,
    recheckChain: () => undefined,
  };

  function logsOf({ author, call, hash }: Sent, { number, hash: blockHash }: Header, index: number): Log[] {
    const place = {
      blockNumber: number,
      blockHash,
      transactionHash: hash,
      transactionIndex: index,
      logIndex: index,
    };
    if (call.kind === "other") return [];
    if (call.kind === "create") {
      const args = { id: call.asset, author };
      const topics = encodeEventTopics({ abi: registryAbi, eventName: "AssetCreated", args }) as Hex[];
      const inputs = getAbiItem({ abi: registryAbi, name: "AssetCreated" }).inputs.slice(2);
      return [
        {
          ...place,
          topics,
          data: hexToBytes(encodeAbiParameters(inputs, [call.salt, call.details] as never)),
        },
      ];
    }
    const eventName = call.kind === "link" ? "LinkAdded" : "LinkRevoked";
    const args = { parent: call.parent, child: call.child };
    const topics = encodeEventTopics({ abi: registryAbi, eventName, args }) as Hex[];
    return [{ ...place, topics, data: new Uint8Array() }];
  }

  return {
    node: node as unknown as Node,
    pool,
    refusals,
    get head() {
      return head().header.number;
    },
    /** What the chain has executed, in its order. */
    executed: () =>
      executed().map(({ sent, succeeded, block }) => ({ sent, succeeded, block: block.header.number })),
    nonceOf,
    poolOf,
    state: () => registryState(executed()),
    setMood: (author: Address, mood: Mood) => void moods.set(author, mood),
    has: (hash: Hash) => pool.has(hash) || find(hash) !== undefined,
    /** Makes a signed transaction that nobody has sent yet. */
    sign(transaction: Omit<Sent, "hash" | "raw">): Sent {
      made += 1;
      const hash = word(`${seed} transaction ${made}`);
      const sent = { ...transaction, hash, raw: keccak256(hash) };
      known.set(sent.raw, sent);
      return sent;
    },
    /** A wallet sends. @returns whether the node took it */
    send: (sent: Sent): boolean => take(sent) === undefined,
    /** A block with everything that these authors have in the pool and whose turn it is, then empty ones. */
    mine(authors: readonly Address[], empty: number): void {
      const transactions: Executed[] = [];
      const state = registryState(executed());
      for (const author of authors) {
        let nonce = nonceOf(author);
        for (const sent of poolOf(author)) {
          if (sent.nonce !== nonce) break;
          const succeeded = state.succeeds(sent);
          if (succeeded) state.run(sent);
          transactions.push({ sent, succeeded });
          pool.delete(sent.hash);
          nonce += 1;
        }
      }
      append(transactions);
      for (let count = 0; count < empty; count += 1) append();
    },
    /** Replaces the newest blocks by empty ones; their transactions go back into the pool, or are lost. */
    reorg(depth: number, keep: boolean): Sent[] {
      const removed = blocks.splice(Math.max(1, blocks.length - depth));
      const lost = removed.flatMap((block) => block.executed.map(({ sent }) => sent));
      for (const _ of removed) append();
      if (keep) for (const sent of lost) take(sent);
      return lost;
    },
  };
}

export type SimulatedChain = ReturnType<typeof simulatedChain>;
