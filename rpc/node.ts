import type { Logger } from "pino";
import { type Address, type Hash, type Hex, numberToHex } from "viem";
import { z } from "zod";
import type { BlockHeader } from "../db/chain/blocks.ts";
import type { Metrics } from "../indexer/monitoring/metrics.ts";
import { type Question, question } from "./call.ts";
import {
  ChainMovedError,
  isSilence,
  mayBeTheQuestion,
  NodeAnswerError,
  type NodeError,
  RpcError,
} from "./errors.ts";
import { readBlockLogs } from "./logs/block-logs.ts";
import { rangeQuestion } from "./logs/log-calls.ts";
import type { Log } from "./logs/logs.ts";
import { readReceiptLogs } from "./logs/receipts.ts";
import { createProviders } from "./providers.ts";
import { address, bytes, count, hash, hex, quantity } from "./quantities.ts";
import { connectRpc, type Outcome, type Rpc } from "./rpc.ts";

export type { Log } from "./logs/logs.ts";

/** A block's header as far as the index needs it. `logsBloom` and the base fee are missing on some chains. */
export type Header = BlockHeader & { logsBloom: Hex | undefined; baseFeePerGas: bigint | undefined };

export type Receipt = {
  blockNumber: number;
  blockHash: Hash;
  reverted: boolean;
  gasUsed: bigint;
  paid?: bigint;
  /** What a rollup charged for the data, which is in `paid`. */
  dataFee?: bigint;
};

export type NodeTransaction = {
  from: Address;
  to: Address | null;
  input: Hex;
  value: bigint;
  nonce: number;
  gas: bigint;
  /** The most that it pays for a unit of gas. */
  maxFee: bigint | undefined;
  blockHash: Hash | null;
  blockNumber: number | null;
};

const header = z
  .object({
    number: count,
    hash,
    parentHash: hash,
    timestamp: count,
    // Some chains keep none, and say so in their own ways.
    logsBloom: bytes(256).nullish().catch(undefined),
    // It decides nothing but a hint: one that makes no sense is none.
    baseFeePerGas: quantity.nullish().catch(undefined),
  })
  .transform(
    ({ logsBloom, baseFeePerGas, ...rest }): Header => ({
      ...rest,
      logsBloom: logsBloom ?? undefined,
      baseFeePerGas: baseFeePerGas ?? undefined,
    }),
  );

const receipt = z
  .object({
    blockNumber: count,
    blockHash: hash,
    // Receipts from before Byzantium have none; neither have those of some providers.
    status: z.union([quantity, z.boolean()]).nullish(),
    gasUsed: quantity,
    effectiveGasPrice: quantity.nullish(),
    l1Fee: quantity.nullish(),
    logs: z.array(z.unknown()).nullish(),
  })
  .transform(
    ({ status, effectiveGasPrice, l1Fee, logs, ...rest }): Receipt => ({
      ...rest,
      // Each change of the registry leaves a log.
      reverted: status === null || status === undefined ? (logs ?? []).length === 0 : !status,
      ...(effectiveGasPrice && { paid: rest.gasUsed * effectiveGasPrice + (l1Fee ?? 0n) }),
      ...(l1Fee && { dataFee: l1Fee }),
    }),
  );

const transaction = z
  .object({
    from: address,
    to: address.nullish(),
    input: hex.nullish(),
    data: hex.nullish(),
    value: quantity,
    nonce: count,
    gas: quantity,
    maxFeePerGas: quantity.nullish().catch(undefined),
    gasPrice: quantity.nullish().catch(undefined),
    blockHash: hash.nullish(),
    blockNumber: count.nullish().catch(undefined),
  })
  .transform(
    ({ to, blockHash, blockNumber, maxFeePerGas, gasPrice, input, data, ...rest }): NodeTransaction => ({
      ...rest,
      input: input ?? data ?? "0x",
      maxFee: maxFeePerGas ?? gasPrice ?? undefined,
      to: to ?? null,
      blockHash: blockHash ?? null,
      blockNumber: blockNumber ?? null,
    }),
  );

export type Node = ReturnType<typeof connectNode>;

export type NodeOptions = {
  /** For one call, until its answer has come whole. */
  timeoutMs?: number;
  /** Ends the calls under way, so that nothing waits for a node when the process is to end. */
  signal?: AbortSignal;
  log?: Logger;
  metrics?: Metrics;
};

/** Questions that one provider answers together; how many of them travel at once, it decides. */
const askedTogether = 100;
/** Headers of which the numbers are remembered. */
const mostNumbers = 512;

/**
 * The chain's node behind one or several JSON-RPC URLs: each answer is parsed before anything believes it.
 * Calls reject with NodeError, whose reason says whether the node did not answer, refused or answered nonsense.
 */
export function connectNode(urls: readonly string[], options: NodeOptions = {}) {
  const { timeoutMs = 10_000, signal, log, metrics } = options;
  const http = urls.filter((url) => /^https?:/i.test(url));
  if (http.length === 0) throw new Error("connectNode needs a URL of HTTP");
  const note = (reason: NodeError["reason"]) => metrics?.count("rpc_failure_total", reason);
  const providers = createProviders(
    http.map((url) => connectRpc(url, { timeoutMs, signal, note })),
    { log, metrics },
  );
  /** Numbers of blocks by their hashes, of those that were read lately. */
  const numbers = new Map<Hash, number>();

  const ask = <Output>(question: Question<Output>): Promise<Output> =>
    providers.run(async (rpc) => question.read(await rpc.request(question)));

  async function inGroups<Question, Answer>(
    questions: readonly Question[],
    ask: (rpc: Rpc, questions: readonly Question[]) => Promise<Answer[]>,
  ): Promise<Answer[]> {
    const groups: Promise<Answer[]>[] = [];
    for (let start = 0; start < questions.length; start += askedTogether) {
      const group = questions.slice(start, start + askedTogether);
      groups.push(providers.run((rpc) => ask(rpc, group)));
    }
    return (await Promise.all(groups)).flat();
  }

  function remember(found: Header | undefined): Header | undefined {
    if (found === undefined) return undefined;
    numbers.delete(found.hash);
    numbers.set(found.hash, found.number);
    if (numbers.size > mostNumbers) numbers.delete(numbers.keys().next().value as Hash);
    return found;
  }

  async function readHeaders(rpc: Rpc, tags: readonly Tag[]): Promise<(Header | undefined)[]> {
    const questions = tags.map(headerQuestion);
    return headersOf(rpc, questions, await rpc.outcomes(questions));
  }

  /**
   * Headers out of answers. A block that a node does not have is null, an error in the node's own words, or an
   * older block: where the node names its head all the same, it is the block that is missing.
   */
  async function headersOf(
    rpc: Rpc,
    questions: readonly Question<Header | undefined>[],
    outcomes: readonly Outcome[],
  ): Promise<(Header | undefined)[]> {
    let asked: Promise<unknown> | undefined;
    const headers = outcomes.map(async (outcome, index) => {
      const { read, params } = questions[index] as Question<Header | undefined>;
      if (!("error" in outcome)) {
        try {
          return remember(read(outcome.result));
        } catch (error) {
          if (!(error instanceof OlderBlockError)) throw error;
          note(error.reason);
          return undefined;
        }
      }
      const { error } = outcome;
      if (!(error instanceof RpcError) || error.reason !== "rpc_error" || params[0] === "latest") throw error;
      note(error.reason);
      asked ??= rpc.request(headerQuestion("latest"));
      await asked.catch(() => {
        throw error;
      });
      return undefined;
    });
    return Promise.all(headers);
  }

  const readHeader = async (rpc: Rpc, tag: Tag) => (await readHeaders(rpc, [tag]))[0];

  async function numberOf(rpc: Rpc, block: Hash): Promise<number> {
    const known = numbers.get(block);
    if (known !== undefined) return known;
    const asked = question("eth_getBlockByHash", [block, false], header.nullable());
    const found = asked.read(await rpc.request(asked));
    if (found === null)
      throw new NodeAnswerError(asked.method, asked.params, "there is no such block", "missing_block");
    remember(found);
    return found.number;
  }

  /**
   * What an account had sent at the end of a block of the chain that we follow. A node that takes no hash there is
   * asked by the number, and for the hash of that number before and after.
   */
  async function readNonces(rpc: Rpc, accounts: readonly Address[], block: Hash): Promise<bigint[]> {
    let failure: unknown;
    if (!rpc.abilities.lacks("state by block hash")) {
      try {
        return await readAll(
          rpc,
          accounts.map((account) => nonceQuestion(account, stateAt(block))),
        );
      } catch (error) {
        if (!mayBeTheQuestion(error) || isSilence(error)) throw error;
        failure = error;
      }
    }
    try {
      const number = await numberOf(rpc, block);
      await expectBlock(rpc, number, block);
      const place = numberToHex(number);
      const nonces = await readAll(
        rpc,
        accounts.map((account) => nonceQuestion(account, place)),
      );
      await expectBlock(rpc, number, block);
      if (failure !== undefined) rpc.abilities.noteMissing("state by block hash");
      return nonces;
    } catch (error) {
      throw failure === undefined || isSilence(error) || error instanceof ChainMovedError ? error : failure;
    }
  }

  async function expectBlock(rpc: Rpc, number: number, block: Hash): Promise<void> {
    if ((await readHeader(rpc, number))?.hash === block) return;
    throw new ChainMovedError(`The chain has no block ${number} with the hash ${block} any more`);
  }

  return {
    /** Chain of the provider in use; from then on providers of another chain are left out. */
    chainId: async () => {
      const chainId = await ask(question("eth_chainId", [], count));
      providers.expectChain(chainId);
      return chainId;
    },
    /** What the node calls itself; undefined where it does not say, as some providers. */
    clientVersion: () => ask(question("web3_clientVersion", [], z.string().max(200))).catch(() => undefined),
    /** Asks for the chain again before the next call: what the node says fits no more to what it said before. */
    recheckChain: providers.recheckChain,
    /** @returns undefined where the node does not have the block, or not yet */
    header: (tag: Tag): Promise<Header | undefined> =>
      providers.run(async (rpc) => {
        const found = await readHeader(rpc, tag);
        if (tag === "latest" && found !== undefined) providers.noteHead(rpc, found.number);
        return found;
      }),
    /** Headers by number, in their order; undefined for each that the node does not have. */
    headers: (asked: readonly number[]): Promise<(Header | undefined)[]> => inGroups(asked, readHeaders),
    logsInRange: (registry: Address, from: number, to: number) => ask(rangeQuestion(registry, from, to)),
    /** As `logsInRange`, by another provider than the one in use where there is one. */
    logsInRangeElsewhere: (registry: Address, from: number, to: number) => {
      const asked = rangeQuestion(registry, from, to);
      return providers.runElsewhere(async (rpc) => asked.read(await rpc.request(asked)));
    },
    /** Notes that an answer, good in form, has turned out to be wrong: another provider may do better. */
    blame: providers.blame,
    /** How each provider does. */
    health: providers.health,
    lookAtIdle: providers.lookAtIdle,
    /** Whether there is another provider to ask for a second opinion. */
    severalProviders: http.length > 1,
    /**
     * Logs of a range, the header of its last block and the hash of the block before it, all from one node: it
     * has these blocks, or says so. `refused` where it gives these headers and not these logs, for whatever reason.
     */
    logsWithEnds: async (registry: Address, from: number, to: number): Promise<RangeAnswer> => {
      const range = rangeQuestion(registry, from, to);
      const ends = [headerQuestion(to), headerQuestion(Math.max(0, from - 1))];
      return providers.run(async (rpc) => {
        const [answer, ...headers] = (await rpc.outcomes([range, ...ends])) as [Outcome, Outcome, Outcome];
        const [last, parent] = await headersOf(rpc, ends, headers);
        const found = { last, parent: parent?.hash };
        try {
          if ("error" in answer) throw answer.error;
          return { ...found, logs: range.read(answer.result) };
        } catch (error) {
          if (!mayBeTheQuestion(error)) throw error;
          note(error.reason);
          return { ...found, refused: error };
        }
      });
    },
    /** Logs of one block, in whatever way the node tells them. */
    logsOfBlock: (registry: Address, block: Pick<Header, "number" | "hash" | "logsBloom">) =>
      providers.run((rpc) => readBlockLogs(rpc, registry, block, note)),
    /** Logs of a block from the receipts of its transactions, which nodes keep apart from their index of logs. */
    logsOfReceipts: (
      registry: Address,
      block: Pick<Header, "number" | "hash"> & Partial<Pick<Header, "logsBloom">>,
    ): Promise<Log[]> => providers.run((rpc) => readReceiptLogs(rpc, registry, block, note)),
    /** Transactions that the account had sent at the end of a block of the chain that we follow. */
    nonceAt: async (account: Address, block: Hash): Promise<bigint> =>
      (await providers.run((rpc) => readNonces(rpc, [account], block)))[0] as bigint,
    /** The same of several accounts, in their order. */
    noncesAt: (accounts: readonly Address[], block: Hash): Promise<bigint[]> =>
      inGroups(accounts, (rpc, group) => readNonces(rpc, group, block)),
    /**
     * The first block from a number on, where a chain leaves out numbers; at most so many numbers are asked for.
     * @returns undefined where the node has none of them
     */
    firstHeaderFrom: async (from: number, most: number): Promise<Header | undefined> => {
      for (let start = from; start < from + most; start += gapStep) {
        const asked = Array.from(
          { length: Math.min(gapStep, from + most - start) },
          (_, index) => start + index,
        );
        const found = (await providers.run((rpc) => readHeaders(rpc, asked))).find(
          (one) => one !== undefined,
        );
        if (found !== undefined) return found;
      }
      return undefined;
    },
    /** Whether the chain leaves out a number: the next block's parent is a block before it. */
    leavesOut: async (number: number): Promise<boolean> =>
      providers.run(async (rpc) => {
        const numbersAfter = Array.from({ length: gapStep }, (_, index) => number + 1 + index);
        const next = (await readHeaders(rpc, numbersAfter)).find((one) => one !== undefined);
        return next !== undefined && (await numberOf(rpc, next.parentHash)) < number;
      }),
    /** The header of a block by its hash. */
    headerOf: async (block: Hash): Promise<Header | undefined> =>
      remember((await ask(question("eth_getBlockByHash", [block, false], header.nullable()))) ?? undefined),
    balance: (account: Address) => ask(question("eth_getBalance", [account, "latest"], quantity)),
    gasPrice: () => ask(question("eth_gasPrice", [], quantity)),
    tip: () => ask(question("eth_maxPriorityFeePerGas", [], quantity)),
    /** Rejects with the revert where the call would fail. */
    estimateGas: (call: { from: Address; to: Address; data: Hex }) =>
      ask(question("eth_estimateGas", [call, "latest"], quantity)),
    /** Executes a call on the newest state; rejects with the revert. */
    call: (to: Address, data: Hex) => ask(question("eth_call", [{ to, data }, "latest"], hex)),
    codeAt: (account: Address, block: number | "latest") =>
      ask(question("eth_getCode", [account, typeof block === "number" ? numberToHex(block) : block], hex)),
    receipt: async (of: Hash) =>
      (await ask(question("eth_getTransactionReceipt", [of], receipt.nullable()))) ?? undefined,
    transaction: async (of: Hash) =>
      (await ask(question("eth_getTransactionByHash", [of], transaction.nullable()))) ?? undefined,
    send: (raw: Hex) => ask(sendQuestion(raw)),
    /** Sends transactions that do not depend on each other. @returns whether the node took each, and said so */
    sendTogether: (raws: readonly Hex[]): Promise<boolean[]> =>
      providers.run(async (rpc) => {
        const outcomes = await rpc.each(raws.map(sendQuestion));
        return outcomes.map((outcome) => "result" in outcome && hash.safeParse(outcome.result).success);
      }),
    /** Executes a call on the state at the end of a block; rejects with the revert. */
    replay: (sent: NodeTransaction, block: number) => {
      const { from, to, input: data } = sent;
      const amounts = { value: numberToHex(sent.value), gas: numberToHex(sent.gas) };
      return ask(question("eth_call", [{ from, to, data, ...amounts }, numberToHex(block)], hex));
    },
    close: providers.close,
  };
}

type Tag = number | "latest" | "finalized";
export type RangeAnswer = { last: Header | undefined; parent: Hash | undefined } & (
  | { logs: Log[]; refused?: undefined }
  | { refused: NodeError }
);

/** Numbers of blocks that are asked for at once where a chain leaves out some. */
const gapStep = 8;

async function readAll<Output>(rpc: Rpc, questions: readonly Question<Output>[]): Promise<Output[]> {
  const answers = await rpc.batch(questions);
  return questions.map(({ read }, index) => read(answers[index]));
}

const stateAt = (blockHash: Hash) => ({ blockHash, requireCanonical: false });

const nonceQuestion = (account: Address, place: Hex | ReturnType<typeof stateAt>): Question<bigint> =>
  question("eth_getTransactionCount", [account, place], quantity);

const sendQuestion = (raw: Hex) => question("eth_sendRawTransaction", [raw], hash);

/** So far back an answer may lie that is a block before the one asked for, as some nodes name it for a number without a block. */
const longestGap = 100;

/** The answer is a block before the one asked for. */
class OlderBlockError extends NodeAnswerError {
  override readonly name = "OlderBlockError";
}

function headerQuestion(tag: Tag): Question<Header | undefined> {
  const params = [typeof tag === "number" ? numberToHex(tag) : tag, false];
  const asked = question("eth_getBlockByNumber", params, header.nullable());
  return {
    ...asked,
    read: (answer) => {
      const found = asked.read(answer) ?? undefined;
      if (found === undefined || typeof tag !== "number" || found.number === tag) return found;
      const problem = `it is block ${found.number}`;
      if (found.number > tag || found.number < tag - longestGap) {
        throw new NodeAnswerError("eth_getBlockByNumber", params, problem);
      }
      throw new OlderBlockError("eth_getBlockByNumber", params, problem);
    },
  };
}
