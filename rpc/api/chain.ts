import { type Address, type Hash, type Hex, isHex, type PublicClient } from "viem";
import { readLater } from "../../api/operation/read-later.ts";
import { registryAbi } from "../../domain/registry/abi.ts";
import { contractQuestion, NO, YES } from "../contract-signature.ts";
import { connectNodes, NodeUnavailableError } from "./nodes.ts";
import { isExecutionFailure, revertInWords } from "./revert-words.ts";

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

/** Of what is in a block its number, as far as the node says it. */
export type Place = { in: "block"; number: number | undefined } | { in: "pool" | "nowhere" };

/** The questions that the API asks the node. Each answers, or throws NodeUnavailableError. */
export type Chain = {
  chainId(): Promise<number>;
  /** What the node calls itself; null where it does not say. */
  clientVersion(): Promise<string | null>;
  /** The account's next nonce, what waits in the node's pool included. */
  nonce(account: Address): Promise<number>;
  /** The account's next nonce by the blocks alone. */
  minedNonce(account: Address): Promise<number>;
  /** Where the node has this transaction. */
  placeOf(hash: Hash): Promise<Place>;
  /** In the chain's smallest unit. */
  balance(account: Address): Promise<bigint>;
  fees(): Promise<Fees>;
  gas(call: Call): Promise<GasEstimate>;
  /** The registry's next nonce of this key of the author. */
  linkNonce(registry: Address, author: Address, key: bigint): Promise<bigint>;
  /** The code at an address; 0x where there is none. */
  code(address: Address): Promise<Hex>;
  /** Whether the contract at this address accepts the signature (ERC-1271), as the registry would ask it. */
  acceptedByContract(address: Address, hash: Hex, signature: Hex): Promise<boolean>;
};

/** Gas for a contract wallet's check, so that an endless one ends. */
const SIGNATURE_CHECK_GAS = 5_000_000n;

/** What every transaction costs, and more than any block holds: a node that estimates otherwise is sick. */
const [LEAST_GAS, MOST_GAS] = [21_000n, 2n ** 53n];

/** @param rpcUrls of nodes of one chain, in the order in which they are asked */
export function createChain(rpcUrls: readonly string[]): Chain {
  const { ask, chainId } = connectNodes(rpcUrls);
  return {
    chainId,
    clientVersion: () => ask(readVersion),
    nonce: (address) => ask((client) => readNonce(client, address, "pending")),
    minedNonce: (address) => ask((client) => readNonce(client, address, "latest")),
    placeOf: (hash) => ask((client) => findPlace(client, hash)),
    balance: (address) => ask((client) => client.getBalance({ address })),
    fees: () => ask(readFees),
    gas: (call) => ask((client) => estimateGas(client, call)),
    linkNonce: (address, author, key) =>
      ask((client) =>
        client.readContract({ address, abi: registryAbi, functionName: "nonces", args: [author, key] }),
      ),
    code: async (address) => (await ask((client) => client.getCode({ address }))) ?? "0x",
    acceptedByContract: (...question) => ask((client) => askContract(client, ...question)),
  };
}

/** Some providers refuse the question. */
async function readVersion(client: PublicClient): Promise<string | null> {
  const answer: unknown = await client.request({ method: "web3_clientVersion" }).catch(() => null);
  return typeof answer === "string" ? answer.slice(0, 200) : null;
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

async function findPlace(client: PublicClient, hash: Hash): Promise<Place> {
  const found = await client.request({ method: "eth_getTransactionByHash", params: [hash] });
  if (found?.hash?.toLowerCase() !== hash) return { in: "nowhere" };
  if (!isHex(found.blockHash)) return { in: "pool" };
  const number = Number(found.blockNumber ?? Number.NaN);
  return { in: "block", number: Number.isSafeInteger(number) ? number : undefined };
}

async function readFees(client: PublicClient): Promise<Fees> {
  // All at once, so that they travel together; without a base fee nobody asks for a tip.
  const asked = readLater(client.estimateMaxPriorityFeePerGas());
  const [gasPrice, block] = await Promise.all([
    client.getGasPrice(),
    client.getBlock({ blockTag: "latest" }),
  ]);
  const baseFee = block.baseFeePerGas;
  if (baseFee === null) return { gasPrice, maxFeePerGas: null, maxPriorityFeePerGas: null, baseFee };
  const tip = await asked;
  // Twice the base fee stays valid for six full blocks in a row, longer than it takes to sign by hand.
  return { gasPrice, maxFeePerGas: 2n * baseFee + tip, maxPriorityFeePerGas: tip, baseFee };
}

async function estimateGas(client: PublicClient, { from, to, data }: Call): Promise<GasEstimate> {
  try {
    // By the blocks alone: some nodes count their pool in, where this very call may be waiting.
    const gas = await client.estimateGas({ account: from, to, data, blockTag: "latest" });
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
    const data = contractQuestion(address, hash, signature);
    const { data: answer } = await client.call({ data, gas: SIGNATURE_CHECK_GAS });
    if (answer !== YES && answer !== NO) {
      throw new NodeUnavailableError("The node answered a call with what it cannot answer.");
    }
    return answer === YES;
  } catch (error) {
    if (!isExecutionFailure(error)) throw error;
    return false;
  }
}
