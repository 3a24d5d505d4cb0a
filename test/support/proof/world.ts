import { RLP } from "@ethereumjs/rlp";
import { type Address, type Hex, keccak256, numberToHex, padHex } from "viem";
import { type AssetContent, type AssetDetails, mapDetails } from "../../../domain/asset/asset.ts";
import { type Proof, registryAddress } from "../../../proof/src/proof.ts";
import { assetId } from "../asset-id.ts";
import { headerRlp } from "./header.ts";
import { proofFromNode, type Rpc, slots } from "./node-proof.ts";
import { bytes, hex, trieOf } from "./trie.ts";

/** A chain of one block, made by hand: what its registry holds is what is put into it. */
export type World = {
  chainId: number;
  registry: Address;
  block: { number: number; hash: Hex; timestamp: number };
  prove(asset: AssetContent, children?: Hex[]): Promise<Proof>;
  idOf(asset: AssetContent): Hex;
};

export type WorldOptions = {
  chainId?: number;
  registry?: Address;
  /** False: the block has no such account. */
  hasRegistry?: boolean;
  /** Fields of the registry's account in place of nonce, balance, storage root and code hash. */
  account?: (storageRoot: Uint8Array) => unknown[];
  number?: number;
  timestamp?: number;
  /** Words of the registry's storage by their slots; in RLP already where they are bytes. */
  words?: Record<Hex, bigint | Uint8Array>;
  /** Accounts and slots of others, which make the tries deeper. */
  others?: number;
};

export const blockTime = 1_790_000_000;
const hashOf = (value: Hex) => bytes(keccak256(value));
const zeros = (size: number) => padHex("0x", { size });
const codeHash = bytes(keccak256("0xfe"));

/** Packs an asset's record. */
export const assetWord = (author: Hex, createdOn: number, cancelledOn = 0): bigint =>
  BigInt(author) | (BigInt(createdOn) << 160n) | (BigInt(cancelledOn) << 208n);

/** Packs a link's record. */
export const linkWord = (addedOn: number, revokedOn = 0): bigint =>
  BigInt(addedOn) | (BigInt(revokedOn) << 48n);

export const someAsset = (author: Address, texts: Partial<AssetDetails> = {}): AssetContent => ({
  author,
  salt: padHex("0x11", { size: 32 }),
  details: { ...mapDetails(() => ""), name: "Lease agreement", ...texts },
});

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { chainId = 31_337, registry = registryAddress, number = 123, timestamp = blockTime } = options;
  const { words = {}, others = 20, hasRegistry = true } = options;
  const stranger = (index: number) => numberToHex(index + 1, { size: 20 });
  const storage = await trieOf([
    ...Array.from({ length: others }, (_, at) => [hashOf(stranger(at)), RLP.encode(BigInt(at + 1))] as const),
    ...Object.entries(words).map(([slot, word]) => {
      const value = typeof word === "bigint" ? RLP.encode(word) : word;
      return [hashOf(slot as Hex), value] as const;
    }),
  ]);
  const account = options.account?.(storage.root) ?? [1n, 0n, storage.root, codeHash];
  const accounts = Array.from({ length: others }, (_, at) => {
    const value = RLP.encode([BigInt(at), 10n ** 18n, hashOf("0x80"), hashOf("0x")]);
    return [hashOf(stranger(at)), value] as const;
  });
  const state = await trieOf([
    ...accounts,
    ...(hasRegistry ? [[hashOf(registry), RLP.encode(account as never)] as const] : []),
  ]);
  const block = {
    ...{ parentHash: zeros(32), sha3Uncles: zeros(32), miner: zeros(20), stateRoot: hex(state.root) },
    ...{ transactionsRoot: zeros(32), receiptsRoot: zeros(32), logsBloom: zeros(256), difficulty: "0x0" },
    ...{
      number: numberToHex(number),
      gasLimit: "0x1c9c380",
      gasUsed: "0x0",
      timestamp: numberToHex(timestamp),
    },
    ...{ extraData: "0x", mixHash: zeros(32), nonce: zeros(8), baseFeePerGas: "0x7" },
  };
  const hash = keccak256(headerRlp(block));
  /** Answers as a node does. */
  const rpc: Rpc = async (method, params) => {
    if (method === "eth_getBlockByNumber") return { ...block, hash };
    const keys = params[1] as Hex[];
    const proofs = await Promise.all(keys.map((key) => storage.prove(hashOf(key))));
    return {
      accountProof: (await state.prove(hashOf(registry))).map(hex),
      storageProof: proofs.map((proof) => ({ proof: proof.map(hex) })),
    };
  };
  return {
    ...{ chainId, registry, block: { number, hash, timestamp } },
    prove: (asset, children = []) => proofFromNode(rpc, { chainId, registry, asset, children }),
    idOf: (asset) => assetId({ chainId, address: registry }, asset),
  };
}

/** A world in which an asset is registered, with links to children of the states that are named. */
export async function worldWith(
  asset: AssetContent,
  {
    createdOn = blockTime - 1_000,
    links = {},
    ...options
  }: WorldOptions & { createdOn?: number; links?: Record<Hex, bigint> } = {},
): Promise<World> {
  const { chainId = 31_337, registry = registryAddress } = options;
  const id = assetId({ chainId, address: registry }, asset);
  const linked = Object.entries(links).map(([child, word]) => [slots.link(id, child as Hex), word]);
  const words = {
    [slots.asset(id)]: assetWord(asset.author, createdOn),
    ...Object.fromEntries(linked),
    ...options.words,
  };
  return await createWorld({ ...options, words });
}
