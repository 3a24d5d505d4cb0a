import { type Address, type Hash, type Hex, numberToHex } from "viem";
import { z } from "zod";
import { callByHash } from "./call-by-hash.ts";
import type { Caller } from "./caller.ts";
import { address, count, hash, hex, quantity } from "./quantities.ts";
import { type RpcCall, rpcCall } from "./rpc-call.ts";

export type Receipt = {
  blockNumber: number;
  blockHash: Hash;
  reverted: boolean;
  gasUsed: bigint;
  paid?: bigint;
  /** Data fee of a rollup, included in `paid`. */
  dataFee?: bigint;
};

export type NodeTransaction = {
  from: Address;
  to: Address | null;
  input: Hex;
  value: bigint;
  nonce: number;
  gas: bigint;
  /** Highest fee per gas. */
  maxFee: bigint | undefined;
  blockHash: Hash | null;
  blockNumber: number | null;
};

const receipt = z
  .object({
    transactionHash: hash,
    blockNumber: count,
    blockHash: hash,
    // Missing in receipts before Byzantium, and with some providers.
    status: z.union([quantity, z.boolean()]).nullish(),
    gasUsed: quantity,
    effectiveGasPrice: quantity.nullish(),
    l1Fee: quantity.nullish(),
    logs: z.array(z.unknown()).nullish(),
  })
  .transform(
    ({ transactionHash, status, effectiveGasPrice, l1Fee, logs, ...rest }): Receipt & { hash: Hash } => ({
      ...rest,
      hash: transactionHash,
      // Each change of the registry emits a log.
      reverted: status === null || status === undefined ? (logs ?? []).length === 0 : !status,
      ...(effectiveGasPrice && { paid: rest.gasUsed * effectiveGasPrice + (l1Fee ?? 0n) }),
      ...(l1Fee && { dataFee: l1Fee }),
    }),
  );

const transaction = z
  .object({
    hash,
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
    ({
      to,
      blockHash,
      blockNumber,
      maxFeePerGas,
      gasPrice,
      input,
      data,
      ...rest
    }): NodeTransaction & { hash: Hash } => ({
      ...rest,
      input: input ?? data ?? "0x",
      maxFee: maxFeePerGas ?? gasPrice ?? undefined,
      to: to ?? null,
      blockHash: blockHash ?? null,
      blockNumber: blockNumber ?? null,
    }),
  );

const sendCall = (raw: Hex): RpcCall<Hash> => rpcCall("eth_sendRawTransaction", [raw], hash);

export function transactionCalls({ providers, ask }: Caller) {
  return {
    receipt: (of: Hash): Promise<Receipt | undefined> =>
      ask(callByHash("eth_getTransactionReceipt", [of], receipt)),
    transaction: (of: Hash): Promise<NodeTransaction | undefined> =>
      ask(callByHash("eth_getTransactionByHash", [of], transaction)),
    send: (raw: Hex) => ask(sendCall(raw)),
    /** Sends independent transactions. @returns for each whether the node confirmed that it accepted it */
    sendTogether: (raws: readonly Hex[]): Promise<boolean[]> =>
      providers.run(async (rpc) => {
        const outcomes = await rpc.each(raws.map(sendCall));
        return outcomes.map((outcome) => "result" in outcome && hash.safeParse(outcome.result).success);
      }),
    /** Executes a transaction's call on the state at the end of a block; rejects with the revert. */
    replay: (sent: NodeTransaction, block: number) => {
      const { from, to, input: data } = sent;
      const amounts = { value: numberToHex(sent.value), gas: numberToHex(sent.gas) };
      return ask(rpcCall("eth_call", [{ from, to, data, ...amounts }, numberToHex(block)], hex));
    },
  };
}
