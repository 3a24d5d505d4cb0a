import type { ContractTransactionResponse } from "ethers";
import {
  addLinksTypedData,
  createAssetTypedData,
  type Registry,
  revokeLinksTypedData,
} from "../../domain/asset/typed-data.ts";
import type { AssetRegistry } from "../../types/ethers-contracts/AssetRegistry.js";
import { assetRecord, detailsOf, fileRecord, linkRecord, nonceOf, saltOf } from "./fixture.ts";
import { changeOf, contentOf, FAR, type TypedData } from "./signing.ts";

export type Call = { to: string; data: string };

/** Whoever acts in their own name: an account or a contract wallet. */
export type Author = {
  address: string;
  act: (call: Call) => Promise<unknown>;
};

/** An operation that its author has yet to sign. */
export type Operation = {
  /** What to sign, for this registry or for another place. */
  typedData: (place: Registry, deadline?: bigint) => TypedData;
  /** Hands a signature in, as somebody who is not the author. */
  send: (
    signature: string,
    overrides?: { gasLimit?: bigint },
    deadline?: bigint,
  ) => Promise<ContractTransactionResponse>;
  /** Everything that it changes. */
  state: () => Promise<unknown>;
  /** The error that the same signature meets the second time. */
  spent: [string, ...unknown[]];
};

type Prepare = (registry: AssetRegistry, author: Author) => Promise<Operation>;

async function creation(registry: AssetRegistry, { address }: Author): Promise<Operation> {
  const content = contentOf(address, saltOf("signed"), fileRecord);
  const id = await registry.assetId(address, content.salt, fileRecord);
  return {
    typedData: (place, deadline = FAR) => createAssetTypedData(place, content, deadline),
    send: (signature, overrides = {}, deadline = FAR) =>
      registry.createAssetFor(address, content.salt, fileRecord, deadline, signature, overrides),
    state: () => assetRecord(registry, id),
    spent: ["AssetExists", id],
  };
}

async function addition(registry: AssetRegistry, author: Author): Promise<Operation> {
  const [parent, child] = await pair(registry, author);
  return {
    typedData: (place, deadline = FAR) => addLinksTypedData(place, changeOf(parent, [child], 0n, deadline)),
    send: (signature, overrides = {}, deadline = FAR) =>
      registry.linkFor(parent, [child], 0n, deadline, signature, overrides),
    state: async () => [await linkRecord(registry, parent, child), await nonceOf(registry, author.address)],
    spent: ["InvalidAccountNonce", author.address, 1n],
  };
}

async function revocation(registry: AssetRegistry, author: Author): Promise<Operation> {
  const [parent, child] = await pair(registry, author);
  await author.act(call(registry, "link", [parent, [child]]));
  return {
    typedData: (place, deadline = FAR) =>
      revokeLinksTypedData(place, changeOf(parent, [child], 0n, deadline)),
    send: (signature, overrides = {}, deadline = FAR) =>
      registry.revokeLinksFor(parent, [child], 0n, deadline, signature, overrides),
    state: async () => [await linkRecord(registry, parent, child), await nonceOf(registry, author.address)],
    spent: ["InvalidAccountNonce", author.address, 1n],
  };
}

/** Every operation that can be signed. */
export const operations: Record<string, Prepare> = {
  createAssetFor: creation,
  linkFor: addition,
  revokeLinksFor: revocation,
};

async function pair(registry: AssetRegistry, author: Author): Promise<[parent: string, child: string]> {
  const [parent, child] = [detailsOf({ name: "Contract" }), detailsOf({ name: "Amendment" })];
  for (const details of [parent, child]) {
    await author.act(call(registry, "createAsset", [saltOf("pair"), details]));
  }
  return [
    await registry.assetId(author.address, saltOf("pair"), parent),
    await registry.assetId(author.address, saltOf("pair"), child),
  ];
}

function call(registry: AssetRegistry, name: "createAsset" | "link", args: unknown[]): Call {
  const data = registry.interface.encodeFunctionData(name as "link", args as [string, string[]]);
  return { to: registry.target as string, data };
}
