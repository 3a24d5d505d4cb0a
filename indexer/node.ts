import type { Logger } from "pino";
import { type Address, type Hash, type Hex, isHex, numberToHex, size } from "viem";
import { z } from "zod";
import type { BlockHeader } from "../db/blocks.ts";
import { NodeAnswerError, RpcError } from "./errors.ts";
import { type Log, LogFormError, parseLogs } from "./logs.ts";
import type { Metrics } from "./metrics.ts";
import { createProviders } from "./providers.ts";
import { type Call, connectRpc, type Rpc } from "./rpc.ts";

export type { Log } from "./logs.ts";

/** A block's header as far as the index needs it. `logsBloom` and the base fee are missing on some chains. */
export type Header = BlockHeader & { logsBloom: Hex | undefined; baseFeePerGas: bigint | undefined };

export type Receipt = {
  blockNumber: number;
  blockHash: Hash;
  reverted: boolean;
  gasUsed: bigint;
  paid?: bigint;
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
};

const hex = z.custom<Hex>((value) => isHex(value), "is no hex");
const bytes = (length: number) =>
  hex.refine((value) => size(value) === length && value.length === 2 + length * 2);
const hash = bytes(32).transform((value): Hash => value.toLowerCase() as Hash);
const address = bytes(20).transform((value): Address => value.toLowerCase() as Address);
const quantity = hex.refine((value) => value.length > 2, "is no number").transform((value) => BigInt(value));
const count = quantity
  .refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER), "is over 2^53")
  .transform(Number);

const header = z
  .object({
    number: count,
    hash,
    parentHash: hash,
    timestamp: count,
    logsBloom: bytes(256).nullish(),
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
    status: z.enum(["0x0", "0x1"]),
    gasUsed: quantity,
    effectiveGasPrice: quantity.nullish(),
    l1Fee: quantity.nullish(),
  })
  .transform(
    ({ status, effectiveGasPrice, l1Fee, ...rest }): Receipt => ({
      ...rest,
      reverted: status === "0x0",
      ...(effectiveGasPrice && { paid: rest.gasUsed * effectiveGasPrice + (l1Fee ?? 0n) }),
    }),
  );

const transaction = z
  .object({
    from: address,
    to: address.nullish(),
    input: hex,
    value: quantity,
    nonce: count,
    gas: quantity,
    maxFeePerGas: quantity.nullish().catch(undefined),
    gasPrice: quantity.nullish().catch(undefined),
    blockHash: hash.nullish(),
  })
  .transform(
    ({ to, blockHash, maxFeePerGas, gasPrice, ...rest }): NodeTransaction => ({
      ...rest,
      maxFee: maxFeePerGas ?? gasPrice ?? undefined,
      to: to ?? null,
      blockHash: blockHash ?? null,
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

/** Most calls that travel together; nodes refuse more than some hundreds. */
const batchSize = 100;

/**
 * The chain's node behind one or several JSON-RPC URLs: each answer is parsed before anything believes it.
 * Calls reject with NodeError, whose reason says whether the node did not answer, refused or answered nonsense.
 */
export function connectNode(urls: readonly string[], options: NodeOptions = {}) {
  const { timeoutMs = 10_000, signal, log, metrics } = options;
  const http = urls.filter((url) => /^https?:/i.test(url));
  if (http.length === 0) throw new Error("connectNode needs a URL of HTTP");
  const providers = createProviders(
    http.map((url) => connectRpc(url, { timeoutMs, signal })),
    { log, metrics },
  );

  const ask = <Output>(question: Question<Output>): Promise<Output> =>
    providers.run(async (rpc) => question.read(await rpc.request(question)));

  /** Several questions to one and the same provider. */
  const askTogether = <Output>(questions: readonly Question<Output>[]): Promise<Output[]> =>
    providers.run(async (rpc) => {
      const answers = await rpc.batch(questions);
      return questions.map(({ read }, index) => read(answers[index]));
    });

  /** Many questions, as many together as nodes take. */
  async function askInBatches<Output>(questions: readonly Question<Output>[]): Promise<Output[]> {
    const batches: Promise<Output[]>[] = [];
    for (let start = 0; start < questions.length; start += batchSize) {
      batches.push(askTogether(questions.slice(start, start + batchSize)));
    }
    return (await Promise.all(batches)).flat();
  }

  const receiptsOf = (block: Hash) => providers.run((rpc) => readReceipts(rpc, block));

  return {
    /** Chain of the provider in use; from then on providers of another chain are left out. */
    chainId: async () => {
      const chainId = await ask(question("eth_chainId", [], count));
      providers.expectChain(chainId);
      return chainId;
    },
    /** Asks for the chain again before the next call: what the node says fits no more to what it said before. */
    recheckChain: providers.recheckChain,
    /** @returns undefined where the node does not have the block, or not yet */
    header: (tag: number | "latest" | "finalized") => ask(headerQuestion(tag)),
    /** Headers by number, in their order; undefined for each that the node does not have. */
    headers: (numbers: readonly number[]): Promise<(Header | undefined)[]> =>
      askInBatches(numbers.map(headerQuestion)),
    logsInRange: (registry: Address, from: number, to: number) => ask(rangeQuestion(registry, from, to)),
    /** As `logsInRange`, by another provider than the one in use where there is one. */
    logsInRangeElsewhere: (registry: Address, from: number, to: number) => {
      const asked = rangeQuestion(registry, from, to);
      return providers.runElsewhere(async (rpc) => asked.read(await rpc.request(asked)));
    },
    /** Notes that an answer, good in form, has turned out to be wrong: another provider may do better. */
    blame: providers.blame,
    /** Whether there is another provider to ask for a second opinion. */
    severalProviders: http.length > 1,
    /**
     * Logs of a range, the header of its last block and the hash of the block before it, all from one node: it
     * has these blocks, or says so.
     */
    logsWithEnds: async (registry: Address, from: number, to: number) => {
      const [range, end, before] = [
        rangeQuestion(registry, from, to),
        headerQuestion(to),
        headerQuestion(Math.max(0, from - 1)),
      ];
      return providers.run(async (rpc) => {
        const [logs, last, parent] = await rpc.batch([range, end, before]);
        return { logs: range.read(logs), last: end.read(last), parent: before.read(parent)?.hash };
      });
    },
    logsOfBlock: (registry: Address, blockHash: Hash): Promise<Log[]> =>
      ask(
        logQuestion(registry, { blockHash }, (log) =>
          log.blockHash === blockHash ? undefined : "it holds a log of another block",
        ),
      ),
    /** Logs of a block from the receipts of its transactions, which nodes keep apart from their index of logs. */
    logsOfReceipts: async (
      registry: Address,
      block: Pick<Header, "number" | "hash"> & Partial<Pick<Header, "logsBloom">>,
    ): Promise<Log[]> => {
      const held = await receiptsOf(block.hash);
      // A node that lacks the block may call its receipts an empty list; a filter with a bit set knows better,
      // unless all are set, by which some chains say that they keep none.
      if (held.length === 0 && block.logsBloom !== undefined && !/^0x(0*|f*)$/i.test(block.logsBloom)) {
        const problem = "they hold no log, though the block's bloom filter says that there are some";
        throw new NodeAnswerError("receipts", [block.hash], problem, "missing_logs");
      }
      const logs = readLogs("receipts", [block.hash], registry, held);
      if (logs.every((log) => log.blockHash === block.hash)) return logs;
      throw new NodeAnswerError("receipts", [block.hash], "a log names another block");
    },
    /** Transactions that the account had sent at the end of a block of the chain that we follow. */
    nonceAt: (account: Address, blockHash: Hash) => ask(nonceQuestion(account, blockHash)),
    /** The same of several accounts, in their order. */
    noncesAt: (accounts: readonly Address[], blockHash: Hash): Promise<bigint[]> =>
      askInBatches(accounts.map((account) => nonceQuestion(account, blockHash))),
    balance: (account: Address) => ask(question("eth_getBalance", [account, "latest"], quantity)),
    gasPrice: () => ask(question("eth_gasPrice", [], quantity)),
    tip: () => ask(question("eth_maxPriorityFeePerGas", [], quantity)),
    /** Rejects with the revert where the call would fail. */
    estimateGas: (call: { from: Address; to: Address; data: Hex }) =>
      ask(question("eth_estimateGas", [call, "latest"], quantity)),
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
        const questions = raws.map(sendQuestion);
        const answers = await rpc.each(questions);
        return questions.map(({ schema }, index) => schema.safeParse(answers[index]).success);
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

/** A call, and the only way to read its answer. */
type Question<Output> = Call & { read: (answer: unknown) => Output };

function question<Output>(method: string, params: unknown[], schema: z.ZodType<Output>): Question<Output> {
  const read = (answer: unknown) => {
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    throw new NodeAnswerError(method, params, `${issue?.path.join(".")} ${issue?.message}`.trim());
  };
  return { method, params, read };
}

function nonceQuestion(account: Address, blockHash: Hash): Question<bigint> {
  return question("eth_getTransactionCount", [account, { blockHash, requireCanonical: false }], quantity);
}

const sendQuestion = (raw: Hex) => ({ ...question("eth_sendRawTransaction", [raw], hash), schema: hash });

function headerQuestion(tag: number | "latest" | "finalized"): Question<Header | undefined> {
  const params = [typeof tag === "number" ? numberToHex(tag) : tag, false];
  const asked = question("eth_getBlockByNumber", params, header.nullable());
  return {
    ...asked,
    read: (answer) => {
      const found = asked.read(answer);
      if (found !== null && typeof tag === "number" && found.number !== tag) {
        throw new NodeAnswerError("eth_getBlockByNumber", params, `it is block ${found.number}`);
      }
      return found ?? undefined;
    },
  };
}

function rangeQuestion(registry: Address, from: number, to: number): Question<Log[]> {
  const place = { fromBlock: numberToHex(from), toBlock: numberToHex(to) };
  return logQuestion(registry, place, ({ blockNumber }) =>
    blockNumber < from || blockNumber > to ? `it holds a log of block ${blockNumber}` : undefined,
  );
}

/** @param stray what is wrong with the place of a log */
function logQuestion(
  registry: Address,
  place: Record<string, Hex>,
  stray: (log: Log) => string | undefined,
): Question<Log[]> {
  const params = [{ address: registry, ...place }];
  return {
    method: "eth_getLogs",
    params,
    read: (answer) => {
      const logs = readLogs("eth_getLogs", params, registry, answer);
      for (const log of logs) {
        const problem = stray(log);
        if (problem !== undefined) throw new NodeAnswerError("eth_getLogs", params, problem);
      }
      return logs;
    },
  };
}

function readLogs(method: string, params: unknown, registry: Address, answer: unknown): Log[] {
  try {
    return parseLogs(answer, registry);
  } catch (error) {
    if (error instanceof LogFormError) throw new NodeAnswerError(method, params, error.message);
    throw error;
  }
}

const receiptLogs = z
  .array(z.object({ logs: z.array(z.unknown()) }))
  .transform((receipts) => receipts.flatMap(({ logs }) => logs));
const transactionHashes = z.object({ transactions: z.array(hash) }).nullable();

/** Every log of a block. Nodes without `eth_getBlockReceipts` are asked for each transaction's receipt. */
async function readReceipts(rpc: Rpc, block: Hash): Promise<unknown[]> {
  const together = question("eth_getBlockReceipts", [block], receiptLogs.nullable());
  try {
    const found = together.read(await rpc.request(together));
    if (found !== null) return found;
  } catch (error) {
    if (!(error instanceof RpcError) || error.reason === "rate_limited") throw error;
  }
  const listed = question("eth_getBlockByHash", [block, false], transactionHashes);
  const transactions = listed.read(await rpc.request(listed))?.transactions;
  if (transactions === undefined) {
    throw new NodeAnswerError("eth_getBlockByHash", [block], "the block is gone", "missing_block");
  }
  if (transactions.length === 0) return [];
  const each = transactions.map((of) => ({ method: "eth_getTransactionReceipt", params: [of] }));
  return question("eth_getTransactionReceipt", [block], receiptLogs).read(await rpc.batch(each));
}
