import { type Address, fallback, type Hash, type Hex, http, isHex, numberToHex, size } from "viem";
import { z } from "zod";
import type { BlockHeader } from "../db/blocks.ts";
import { NodeAnswerError } from "./errors.ts";
import { type Log, LogFormError, parseLogs } from "./logs.ts";

export type { Log } from "./logs.ts";

/** A block's header as far as the index needs it. `logsBloom` is missing on some chains. */
export type Header = BlockHeader & { logsBloom: Hex | undefined };

export type Receipt = { blockNumber: number; blockHash: Hash; reverted: boolean; gasUsed: bigint };

export type NodeTransaction = {
  from: Address;
  to: Address | null;
  input: Hex;
  value: bigint;
  nonce: number;
  gas: bigint;
  blockHash: Hash | null;
};

const hex = z.custom<Hex>((value) => isHex(value), "is no hex");
const bytes = (length: number) =>
  hex.refine((value) => size(value) === length && value.length === 2 + length * 2);
const hash = bytes(32).transform((value): Hash => value.toLowerCase() as Hash);
const address = bytes(20).transform((value): Address => value.toLowerCase() as Address);
const quantity = hex.transform((value) => BigInt(value));
const count = quantity
  .refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER), "is over 2^53")
  .transform(Number);

const header = z
  .object({ number: count, hash, parentHash: hash, timestamp: count, logsBloom: bytes(256).nullish() })
  .transform(({ logsBloom, ...rest }): Header => ({ ...rest, logsBloom: logsBloom ?? undefined }));

const receipt = z
  .object({ blockNumber: count, blockHash: hash, status: z.enum(["0x0", "0x1"]), gasUsed: quantity })
  .transform(({ status, ...rest }): Receipt => ({ ...rest, reverted: status === "0x0" }));

const transaction = z
  .object({
    from: address,
    to: address.nullish(),
    input: hex,
    value: quantity,
    nonce: count,
    gas: quantity,
    blockHash: hash.nullish(),
  })
  .transform(
    ({ to, blockHash, ...rest }): NodeTransaction => ({
      ...rest,
      to: to ?? null,
      blockHash: blockHash ?? null,
    }),
  );

export type Node = ReturnType<typeof connectNode>;

/**
 * The chain's node behind one or several JSON-RPC URLs: each answer is parsed before anything believes it.
 * Calls reject with viem's errors where the node does not answer, and NodeAnswerError where it answers nonsense.
 */
export function connectNode(urls: readonly string[], timeoutMs = 10_000) {
  const transports = urls.map((url) => http(url, { timeout: timeoutMs, retryCount: 0 }));
  const [only, ...others] = transports;
  if (only === undefined) throw new Error("connectNode needs a URL");
  const transport = (others.length === 0 ? only : fallback(transports, { retryCount: 0 }))({});

  async function call<Output>(schema: z.ZodType<Output>, method: string, params: unknown[]): Promise<Output> {
    const answer: unknown = await transport.request({ method, params });
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    throw new NodeAnswerError(method, params, `${issue?.path.join(".")} ${issue?.message}`.trim());
  }

  async function headerBy(tag: number | "latest" | "finalized"): Promise<Header | undefined> {
    const params = [typeof tag === "number" ? numberToHex(tag) : tag, false];
    const found = await call(header.nullable(), "eth_getBlockByNumber", params);
    if (found !== null && typeof tag === "number" && found.number !== tag) {
      throw new NodeAnswerError("eth_getBlockByNumber", params, `it is block ${found.number}`);
    }
    return found ?? undefined;
  }

  async function logs(registry: Address, place: Record<string, Hex>): Promise<Log[]> {
    const params = [{ address: registry, ...place }];
    const answer: unknown = await transport.request({ method: "eth_getLogs", params });
    try {
      return parseLogs(answer, registry);
    } catch (error) {
      if (error instanceof LogFormError) throw new NodeAnswerError("eth_getLogs", params, error.message);
      throw error;
    }
  }

  return {
    chainId: () => call(count, "eth_chainId", []),
    /** @returns undefined where the node does not have the block, or not yet */
    header: headerBy,
    logsInRange: async (registry: Address, from: number, to: number): Promise<Log[]> => {
      const found = await logs(registry, { fromBlock: numberToHex(from), toBlock: numberToHex(to) });
      const stray = found.find(({ blockNumber }) => blockNumber < from || blockNumber > to);
      if (stray === undefined) return found;
      throw new NodeAnswerError("eth_getLogs", [from, to], `it holds a log of block ${stray.blockNumber}`);
    },
    logsOfBlock: async (registry: Address, blockHash: Hash): Promise<Log[]> => {
      const found = await logs(registry, { blockHash });
      if (found.every((entry) => entry.blockHash === blockHash)) return found;
      throw new NodeAnswerError("eth_getLogs", [blockHash], "it holds a log of another block");
    },
    /** Transactions that the account had sent at the end of a block of the chain that we follow. */
    nonceAt: (account: Address, blockHash: Hash) =>
      call(count, "eth_getTransactionCount", [account, { blockHash, requireCanonical: false }]),
    codeAt: (account: Address, block: number | "latest") =>
      call(hex, "eth_getCode", [account, typeof block === "number" ? numberToHex(block) : block]),
    receipt: async (of: Hash) =>
      (await call(receipt.nullable(), "eth_getTransactionReceipt", [of])) ?? undefined,
    transaction: async (of: Hash) =>
      (await call(transaction.nullable(), "eth_getTransactionByHash", [of])) ?? undefined,
    send: (raw: Hex) => call(hash, "eth_sendRawTransaction", [raw]),
    /** Executes a call on the state at the end of a block; rejects with the revert. */
    replay: (sent: NodeTransaction, block: number) =>
      call(hex, "eth_call", [
        {
          from: sent.from,
          to: sent.to,
          data: sent.input,
          value: numberToHex(sent.value),
          gas: numberToHex(sent.gas),
        },
        numberToHex(block),
      ]),
  };
}
