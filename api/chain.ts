import {
  type Address,
  BaseError,
  createPublicClient,
  encodeFunctionData,
  type Hash,
  type Hex,
  http,
  isHex,
  type PublicClient,
  parseAbi,
} from "viem";
import { isExecutionFailure, revertInWords } from "./revert-words.ts";

/** The node did not answer; nothing is known about what was asked. */
export class NodeUnavailableError extends Error {
  override readonly name = "NodeUnavailableError";
}

/** What a wallet needs beside the call itself; fee fields are null where the chain has no such thing. */
export type Fees = {
  gasPrice: bigint;
  maxFeePerGas: bigint | null;
  maxPriorityFeePerGas: bigint | null;
  /** Of the newest block: what pays less is in no block. */
  baseFee: bigint | null;
};

/** `gas` has a margin over `needed`, which is the node's estimate. `gas` is null where the call would fail now; `warning` says why in words. */
export type GasEstimate =
  | { gas: bigint; needed: bigint; warning: null }
  | { gas: null; needed: null; warning: string };

type Call = { from: Address; to: Address; data: Hex };

/** The questions that the API asks the node. Each answers, or throws NodeUnavailableError. */
export type Chain = {
  chainId(): Promise<number>;
  /** The account's next nonce, what waits in the node's pool included. */
  nonce(account: Address): Promise<number>;
  /** The account's next nonce by the blocks alone. */
  minedNonce(account: Address): Promise<number>;
  /** Where the node has this transaction. */
  placeOf(hash: Hash): Promise<"block" | "pool" | "nowhere">;
  /** In the chain's smallest unit. */
  balance(account: Address): Promise<bigint>;
  fees(): Promise<Fees>;
  gas(call: Call): Promise<GasEstimate>;
  /** The code at an address; 0x where there is none. */
  code(address: Address): Promise<Hex>;
  /** Whether the contract at this address accepts the signature (ERC-1271). */
  acceptedByContract(address: Address, hash: Hex, signature: Hex): Promise<boolean>;
};

const TIMEOUT = 5_000;
/** Over everything, because a node may ask for a long pause before the second try. */
const DEADLINE = 8_000;
/** Gas for a contract wallet's check, so that an endless one ends. */
const SIGNATURE_CHECK_GAS = 5_000_000n;

/** What every transaction costs, and more than any block holds: a node that estimates otherwise is sick. */
const [LEAST_GAS, MOST_GAS] = [21_000n, 2n ** 53n];

const erc1271 = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
const ERC1271_MAGIC = "0x1626ba7e";

export function createChain(rpcUrl: string): Chain {
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: TIMEOUT, retryCount: 1 }) });
  let chainId: Promise<number> | undefined;
  return {
    chainId() {
      chainId ??= ask(client.getChainId()).catch((error) => {
        chainId = undefined;
        throw error;
      });
      return chainId;
    },
    nonce: (address) => ask(readNonce(client, address, "pending")),
    minedNonce: (address) => ask(readNonce(client, address, "latest")),
    placeOf: (hash) => ask(findPlace(client, hash)),
    balance: (address) => ask(client.getBalance({ address })),
    fees: () => ask(readFees(client)),
    gas: (call) => ask(estimateGas(client, call)),
    code: async (address) => (await ask(client.getCode({ address }))) ?? "0x",
    acceptedByContract: (...question) => ask(askContract(client, ...question)),
  };
}

/** Bounds the wait, and turns whatever the node's side throws into one error that says no URL: it may hold a key. */
async function ask<Value>(answer: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NodeUnavailableError("The node took too long.")), DEADLINE);
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    if (error instanceof NodeUnavailableError) throw error;
    throw new NodeUnavailableError(error instanceof BaseError ? error.shortMessage : String(error));
  } finally {
    clearTimeout(timer);
  }
}

async function readNonce(
  client: PublicClient,
  address: Address,
  blockTag: "latest" | "pending",
): Promise<number> {
  const nonce = await client.getTransactionCount({ address, blockTag });
  if (Number.isSafeInteger(nonce) && nonce >= 0) return nonce;
  throw new NodeUnavailableError("The node answered a nonce that cannot be.");
}

async function findPlace(client: PublicClient, hash: Hash): Promise<"block" | "pool" | "nowhere"> {
  const found = await client.request({ method: "eth_getTransactionByHash", params: [hash] });
  if (found?.hash?.toLowerCase() !== hash) return "nowhere";
  return isHex(found.blockHash) ? "block" : "pool";
}

async function readFees(client: PublicClient): Promise<Fees> {
  const [gasPrice, block] = await Promise.all([
    client.getGasPrice(),
    client.getBlock({ blockTag: "latest" }),
  ]);
  const baseFee = block.baseFeePerGas;
  if (baseFee === null) return { gasPrice, maxFeePerGas: null, maxPriorityFeePerGas: null, baseFee };
  const tip = await client.estimateMaxPriorityFeePerGas();
  // Twice the base fee stays valid for six full blocks in a row, longer than it takes to sign by hand.
  return { gasPrice, maxFeePerGas: 2n * baseFee + tip, maxPriorityFeePerGas: tip, baseFee };
}

async function estimateGas(client: PublicClient, { from, to, data }: Call): Promise<GasEstimate> {
  try {
    const gas = await client.estimateGas({ account: from, to, data });
    if (gas < LEAST_GAS || gas > MOST_GAS) {
      throw new NodeUnavailableError("The node answered a gas estimate that cannot be.");
    }
    return { gas: (gas * 120n) / 100n, needed: gas, warning: null };
  } catch (error) {
    if (!isExecutionFailure(error)) throw error;
    return { gas: null, needed: null, warning: revertInWords(error) };
  }
}

async function askContract(
  client: PublicClient,
  address: Address,
  hash: Hex,
  signature: Hex,
): Promise<boolean> {
  const code = await client.getCode({ address });
  if (code === undefined) return false;
  try {
    const data = encodeFunctionData({
      abi: erc1271,
      functionName: "isValidSignature",
      args: [hash, signature],
    });
    const answer = await client.call({ to: address, data, gas: SIGNATURE_CHECK_GAS });
    if (answer.data !== undefined && !isHex(answer.data)) {
      throw new NodeUnavailableError("The node answered a call with no bytes.");
    }
    return answer.data?.slice(0, 10) === ERC1271_MAGIC && answer.data.length >= 66;
  } catch (error) {
    if (!isExecutionFailure(error)) throw error;
    return false;
  }
}
