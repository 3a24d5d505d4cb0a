import { type Address, type Hash, type Hex, keccak256, toHex } from "viem";
import type { Registry } from "../../../domain/asset/typed-data.ts";
import type { Header } from "../../../rpc/calls/header.ts";
import type { NodeTransaction, Receipt } from "../../../rpc/calls/transactions.ts";
import { NodeError, RpcError } from "../../../rpc/errors/node-error.ts";
import type { Log } from "../../../rpc/logs/logs.ts";
import type { Node } from "../../../rpc/node.ts";
import { type Call, eventsOf, simulatedRegistry, subjectOf } from "./registry.ts";

export type Sent = {
  hash: Hash;
  raw: Hex;
  /** Whose nonce it uses. */
  sender: Address;
  nonce: number;
  fee: number;
  /** Whether its gas limit lets it be executed. */
  enoughGas: boolean;
  call: Call;
  calldata: Hex;
};

/** A transaction in a block, and whether it did what it asks for. */
export type Executed = { sent: Sent; succeeded: boolean; block: number };
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
  /** What the service sent, in order, and why the node did not take it. */
  const sends: { hash: Hash; refused?: "hopeless" | "later" }[] = [];
  let onSend: (hash: Hash) => void = () => undefined;
  let onLoss: (hash: Hash) => Promise<void> = async () => undefined;
  let answersToLose = 0;
  let made = 0;
  let view: ReturnType<typeof look> | undefined;

  /** What the blocks hold, sorted as it is asked for. */
  function look() {
    const executed = blocks.flatMap((block) => block.executed);
    const by = <Key>(keyOf: (one: Executed) => Key) => Map.groupBy(executed, keyOf);
    const mined = new Map(executed.map((one) => [one.sent.hash, one]));
    return {
      executed,
      mined,
      bySender: by(({ sent }) => sent.sender),
      about: by(({ sent }) => subjectOf(sent.call)),
    };
  }
  const now = () => (view ??= look());
  const head = () => blocks[blocks.length - 1] as Block;

  const nonceOf = (sender: Address, upTo = head().header.number) =>
    (now().bySender.get(sender) ?? []).filter(({ block }) => block <= upTo).length;
  const poolOf = (sender: Address) =>
    [...pool.values()].filter((sent) => sent.sender === sender).toSorted((a, b) => a.nonce - b.nonce);

  function append(transactions: Omit<Executed, "block">[] = []): void {
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
    blocks.push({ header, executed: transactions.map((one) => ({ ...one, block: number })) });
    view = undefined;
  }
  append();

  function registryNow() {
    const rules = simulatedRegistry();
    for (const { sent, succeeded } of now().executed) if (succeeded) rules.run(sent.call);
    return rules;
  }

  /** Puts a transaction into the pool, or says why not in a node's words. */
  function take(sent: Sent): string | undefined {
    if (pool.has(sent.hash) || now().mined.has(sent.hash)) return "already known";
    if (sent.nonce < nonceOf(sent.sender)) return "nonce too low";
    const mood = moods.get(sent.sender) ?? "takes";
    if (mood === "poor") return "insufficient funds for gas * price + value";
    if (mood === "full") return "txpool is full";
    const rival = poolOf(sent.sender).find(({ nonce }) => nonce === sent.nonce);
    if (rival !== undefined && rival.fee >= sent.fee) return "replacement transaction underpriced";
    if (rival !== undefined) pool.delete(rival.hash);
    pool.set(sent.hash, sent);
    return undefined;
  }

  function logsOf({ header, executed }: Block): Log[] {
    const events = executed.flatMap(({ sent, succeeded }, index) =>
      (succeeded ? eventsOf(sent.call) : []).map((event) => ({ ...event, hash: sent.hash, index })),
    );
    return events.map(({ topics, data, hash, index }, logIndex) => ({
      topics,
      data,
      blockNumber: header.number,
      blockHash: header.hash,
      transactionHash: hash,
      transactionIndex: index,
      logIndex,
    }));
  }

  const blockOf = (hash: Hash) => blocks.find(({ header }) => header.hash === hash);
  const logsOfBlock = async (_: Address, hash: Hash): Promise<Log[]> => {
    const block = blockOf(hash);
    return block === undefined ? [] : logsOf(block);
  };
  const node = {
    header: async (tag: number | "latest" | "finalized") =>
      (typeof tag === "number" ? blocks[tag] : head())?.header,
    headers: async (numbers: readonly number[]) => numbers.map((number) => blocks[number]?.header),
    logsOfBlock: async (of: Address, { hash }: Header) => ({
      logs: await logsOfBlock(of, hash),
      fromReceipts: false,
    }),
    leavesOut: async () => false,
    logsOfReceipts: (of: Address, { hash }: Header) => logsOfBlock(of, hash),
    nonceAt: async (sender: Address, hash: Hash) => BigInt(nonceOf(sender, blockOf(hash)?.header.number)),
    noncesAt: (senders: readonly Address[], hash: Hash) =>
      Promise.all(senders.map((sender) => node.nonceAt(sender, hash))),
    receipt: async (hash: Hash): Promise<Receipt | undefined> => {
      const found = now().mined.get(hash);
      if (found === undefined) return undefined;
      const { number: blockNumber, hash: blockHash } = (blocks[found.block] as Block).header;
      return { blockNumber, blockHash, reverted: !found.succeeded, gasUsed: found.sent.enoughGas ? 1n : 9n };
    },
    transaction: async (hash: Hash): Promise<NodeTransaction | undefined> => {
      const found = now().mined.get(hash);
      const sent = found?.sent ?? pool.get(hash);
      if (sent === undefined) {
        await onLoss(hash);
        return undefined;
      }
      return {
        from: sent.sender.toLowerCase() as Address,
        to: registry.address.toLowerCase() as Address,
        input: sent.calldata,
        value: 0n,
        nonce: sent.nonce,
        gas: 9n,
        maxFee: 9n,
        blockHash: found === undefined ? null : (blocks[found.block] as Block).header.hash,
        blockNumber: found === undefined ? null : (blocks[found.block] as Block).header.number,
      };
    },
    send: async (raw: Hex): Promise<Hash> => {
      const sent = known.get(raw) as Sent;
      onSend(sent.hash);
      const problem = take(sent);
      if (problem === undefined || problem === "already known") sends.push({ hash: sent.hash });
      else
        sends.push({ hash: sent.hash, refused: problem.startsWith("insufficient") ? "hopeless" : "later" });
      if (answersToLose > 0) {
        answersToLose -= 1;
        throw new NodeError("timeout", "The node's answer is lost");
      }
      if (problem === undefined) return sent.hash;
      throw new RpcError("eth_sendRawTransaction", { code: -32000, message: problem });
    },
    sendTogether: async (raws: readonly Hex[]): Promise<boolean[]> => {
      const outcomes = await Promise.allSettled(raws.map((raw) => node.send(raw)));
      return outcomes.map((outcome) => {
        if (outcome.status === "fulfilled") return true;
        if (outcome.reason instanceof RpcError) return false;
        throw outcome.reason;
      });
    },
    replay: async () => "0x" as Hex,
    recheckChain: () => undefined,
  };

  return {
    node: node as unknown as Node,
    pool,
    sends,
    get head() {
      return head().header.number;
    },
    /** What the chain has executed about an asset, or a nonce, in its order. */
    about: (subject: Hex): readonly Executed[] => now().about.get(subject) ?? [],
    mined: (hash: Hash) => now().mined.get(hash),
    /** The transaction that has used a nonce. */
    user: (sender: Address, nonce: number) =>
      now()
        .bySender.get(sender)
        ?.find(({ sent }) => sent.nonce === nonce),
    nonceOf,
    poolOf,
    registry: registryNow,
    has: (hash: Hash) => pool.has(hash) || now().mined.has(hash),
    setMood: (sender: Address, mood: Mood) => void moods.set(sender, mood),
    /** Tells of everything that the service sends, before the node does something with it. */
    watchSends(watch: (hash: Hash) => void): void {
      onSend = watch;
    },
    /** Tells of everything that the service asks for and the node does not have, before the node answers. */
    watchLosses(watch: (hash: Hash) => Promise<void>): void {
      onLoss = watch;
    },
    /** The next transaction that the service sends arrives, and the answer does not. */
    loseAnswer(): void {
      answersToLose = 1;
    },
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
    /** A block with everything that these senders have in the pool and whose turn it is, then empty ones. */
    mine(senders: readonly Address[], empty: number): void {
      const transactions: Omit<Executed, "block">[] = [];
      const rules = registryNow();
      for (const sender of senders) {
        let nonce = nonceOf(sender);
        for (const sent of poolOf(sender)) {
          if (sent.nonce !== nonce) break;
          const succeeded = sent.enoughGas && rules.succeeds(sent.call);
          if (succeeded) rules.run(sent.call);
          transactions.push({ sent, succeeded });
          pool.delete(sent.hash);
          nonce += 1;
        }
      }
      append(transactions);
      for (let count = 0; count < empty; count += 1) append();
    },
    /** Replaces the newest blocks by empty ones; their transactions go back into the pool, or are lost. */
    reorg(depth: number, isKept: (sent: Sent) => boolean): Sent[] {
      const removed = blocks.splice(Math.max(1, blocks.length - depth));
      const lost = removed.flatMap((block) => block.executed.map(({ sent }) => sent));
      for (const _ of removed) append();
      for (const sent of lost) if (isKept(sent)) take(sent);
      return lost;
    },
  };
}

export type SimulatedChain = ReturnType<typeof simulatedChain>;
