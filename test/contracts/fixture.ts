import { expect } from "chai";
import { id as saltOf, type TransactionReceipt, type TransactionResponse } from "ethers";
import { network } from "hardhat";
import { registryTextBytes } from "../../domain/limits.ts";
import type { AssetRegistry, IAssetRegistry } from "../../types/ethers-contracts/AssetRegistry.js";
import { followsTree as followsTreeFile } from "../support/tree.ts";

export type Details = IAssetRegistry.AssetDetailsStruct;

export const { ethers, networkHelpers } = await network.create();

export const UNKNOWN = saltOf("an id that no asset has");

export const textFields = [
  "name",
  "data",
  "fileName",
  "fileType",
  "fileSize",
  "method",
  "hash",
  "uri",
] as const;

/** A full file record of the sizes that the gas budgets are set for. */
export const fileRecord = {
  name: "Purchase agreement 1",
  data: "Delivery within 30 days. ".repeat(8),
  fileName: "agreement.pdf",
  fileType: "pdf",
  fileSize: "1048576",
  method: "SHA2-256",
  hash: "3b".repeat(32),
  uri: "https://files.example.org/agreements/2024/purchase-agreement-with-all-annexes-1.pdf".slice(0, 80),
} as const satisfies Details;

/** The most gas that a transaction may have (EIP-7825). */
export const GAS_CAP = 16_777_216n;

/** Each text with one byte more than the registry takes; what is refused is that text, its bytes and the most. */
export const tooLong = textFields.map((field, place) => {
  const maximum = registryTextBytes[field];
  const details: Details = { ...fileRecord, [field]: "x".repeat(maximum + 1) };
  return { details, refusal: ["AssetTextTooLong", place, maximum + 1, maximum] as [string, ...unknown[]] };
});

/** Details with the given texts and all others empty. */
export function detailsOf(texts: Partial<Details>): Details {
  const empty = {
    name: "",
    data: "",
    fileName: "",
    fileType: "",
    fileSize: "",
    method: "",
    hash: "",
    uri: "",
  };
  return { ...empty, ...texts };
}

export { saltOf };

/** A fresh registry and three people: the author of most assets, the author of one child, and a stranger. */
export async function freshRegistry() {
  const registry = await ethers.deployContract("AssetRegistry");
  const [author, childAuthor, stranger] = await ethers.getSigners();
  if (!author || !childAuthor || !stranger) throw new Error("the chain has too few accounts");
  return { registry, author, childAuthor, stranger };
}

/** A fresh registry with `parent`, `child` and `second` of the author, and `foreign` of the child's author. */
export async function registryWithAssets() {
  const { registry, author, childAuthor, stranger } = await freshRegistry();
  const create = (creator: typeof author, name: string) =>
    createAsset(registry.connect(creator), creator.address, name);
  const parent = await create(author, "Contract");
  const child = await create(author, "Amendment");
  const second = await create(author, "Second amendment");
  const foreign = await create(childAuthor, "Signature");
  return { registry, author, childAuthor, stranger, parent, child, second, foreign };
}

/** Creates an asset that has a name only, and returns its id. */
export async function createAsset(registry: AssetRegistry, author: string, name: string): Promise<string> {
  const details = detailsOf({ name });
  await registry.createAsset(saltOf(name), details);
  return registry.assetId(author, saltOf(name), details);
}

/** The receipt of a transaction that must be mined and succeed. */
export async function mined(sent: Promise<TransactionResponse>): Promise<TransactionReceipt> {
  const receipt = await (await sent).wait();
  if (receipt?.status !== 1) throw new Error("the transaction did not succeed");
  return receipt;
}

/** Names and arguments of the registry's events in a receipt, in order. */
export function eventsOf(registry: AssetRegistry, receipt: TransactionReceipt): [string, ...unknown[]][] {
  return receipt.logs.map((log) => {
    const event = registry.interface.parseLog(log);
    if (event === null || log.address !== registry.target) throw new Error("a log of something else");
    return [event.name, ...event.args.toArray()];
  });
}

export async function linkRecord(registry: AssetRegistry, parent: string, child: string) {
  const { addedOn, revokedOn } = await registry.linkOf(parent, child);
  return { addedOn, revokedOn };
}

/** The next nonce of an author for a key. */
export function nonceOf(registry: AssetRegistry, author: string, key = 0n): Promise<bigint> {
  return registry["nonces(address,uint192)"](author, key);
}

export async function assetRecord(registry: AssetRegistry, id: string) {
  const { author, createdOn, cancelledOn } = await registry.assetOf(id);
  return { author, createdOn, cancelledOn };
}

/**
 * Sends a call that must be refused with exactly this error. The gas limit is given, so the call is mined and
 * reverts on chain instead of being stopped by the estimate; what `watched` reads and the registry's events must
 * be the same afterwards.
 */
export async function expectRefusal(
  registry: AssetRegistry,
  call: (overrides: { gasLimit: bigint }) => Promise<unknown>,
  [error, ...args]: [string, ...unknown[]],
  watched: () => Promise<unknown>,
  gasLimit = 1_000_000n,
): Promise<void> {
  const state = async () => [await watched(), (await events(registry)).length];
  const before = await state();
  const block = await ethers.provider.getBlockNumber();
  await expect(call({ gasLimit }))
    .to.be.revertedWithCustomError(registry, error)
    .withArgs(...args);
  expect(await ethers.provider.getBlockNumber()).to.equal(block + 1);
  expect(await state()).to.deep.equal(before);
}

function events(registry: AssetRegistry) {
  return ethers.provider.getLogs({ address: registry.target, fromBlock: 0, toBlock: "latest" });
}

/** Declares the test that the suite around it has exactly the branches and leaves of `<name>.tree`. */
export function followsTree(name: string): void {
  followsTreeFile(new URL(`${name}.tree`, import.meta.url));
}
