import { randomUUID } from "node:crypto";
import { type Hex, keccak256, toHex } from "viem";
import { type BlockHeader, insertBlocks } from "../../db/chain/blocks.ts";
import { createIndexPosition, moveIndexPosition } from "../../db/chain/index-position.ts";
import { applyLinkChanges, type LinkEvent } from "../../db/chain/links.ts";
import { inTransaction, openPool, type Pool, type Transaction } from "../../db/core/pool.ts";
import type { ChainAsset } from "../../db/reads/chain-asset.ts";
import { findRequest } from "../../db/service/requests/find.ts";
import { insertCreation } from "../../db/service/requests/insert-creation.ts";
import { insertLinkChange } from "../../db/service/requests/insert-link-change.ts";
import type { Creation, LinkChange, Request } from "../../db/service/requests/request.ts";
import { type AssetId, mapDetails, type RawDetails } from "../../domain/asset/asset.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import type { Position } from "../../domain/index/log-position.ts";
import { assetIdOf, hashAsset, rawDetails } from "../support/asset-id.ts";
import { owner } from "../support/chain/accounts.ts";
import { insertAssets, type NewAsset } from "../support/database/insert-assets.ts";
import { createDatabase, type TestDatabase } from "../support/database/postgres.ts";

/** What the tests of the database write, each thing in its plainest form. */

export const registry: Registry = { chainId: 31_337, address: "0x5FbDB2315678afecb367f032d93F642f64180aa3" };

export const wordOf = (text: string): Hex => keccak256(toHex(text));

/** The bytes that an asset of the index says the chain holds. */
export function bytesOf(asset: Pick<ChainAsset, "raw" | "details"> | undefined): RawDetails {
  if (asset === undefined) throw new Error("There is no such asset");
  return asset.raw ?? rawDetails(asset.details);
}

export type Store = {
  pool: Pool;
  url: string;
  /** Runs `work` in a transaction of its own. */
  write: <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result>;
};

/**
 * Empties what a test writes to. To truncate a table makes its files and those of its indexes anew, which takes
 * thirty times as long as to delete a few rows; many rows would leave files that say something of the test before.
 */
const empty = `
  do $$
  declare
    written regclass;
    large boolean;
  begin
    set local session_replication_role = replica; -- in any order
    for written, large in
      with recursive reached as (
        select unnest(array['chain.blocks', 'chain.cursor', 'service.requests', 'service.wallets',
          'service.wallet_initialisations', 'service.api_keys', 'service.events']::regclass[]) as name
        union select conrelid from pg_constraint join reached on confrelid = name where contype = 'f'
      )
      select name, pg_relation_size(name) > 65536 from reached
    loop
      if large then execute format('truncate %s cascade', written);
      else execute format('delete from %s', written); end if;
    end loop;
  end $$`;

/** Declares the hooks that give the suite a migrated database, emptied before each test. */
export function useDatabase(): Store {
  let database: TestDatabase | undefined;
  let pool: Pool | undefined;
  before(async () => {
    database = await createDatabase();
    pool = openPool(database.url, { application: "test", max: 20 });
  });
  beforeEach(async () => {
    await pool?.query(empty);
  });
  after(async () => {
    await pool?.end();
    await database?.drop();
  });
  return {
    get pool() {
      if (pool === undefined) throw new Error("the database is not open yet");
      return pool;
    },
    get url() {
      return database?.url ?? "";
    },
    write(work) {
      return inTransaction(this.pool, work);
    },
  };
}

/** Time of a block in seconds: twelve for each. */
export const timeOf = (number: number) => 1_767_225_600 + 12 * number;

export function block(number: number, fork = ""): BlockHeader {
  const hash = wordOf(`block ${number}${fork}`);
  return { number, hash, parentHash: wordOf(`block ${number - 1}`), timestamp: timeOf(number) };
}

export function position(blockNumber: number, logIndex = 0): Position {
  return {
    blockNumber,
    logIndex,
    transactionIndex: logIndex,
    transactionHash: wordOf(`transaction ${blockNumber}.${logIndex}`),
  };
}

/** Blocks from 0 to `last`, and a cursor at the last of them. */
export async function chainOf(tx: Transaction, last: number, finalNumber = -1): Promise<void> {
  await createIndexPosition(tx, { ...registry, registry: registry.address, startBlock: 0, headNumber: last });
  const blocks = Array.from({ length: last + 1 }, (_, number) => block(number));
  await insertBlocks(tx, blocks);
  await moveIndexPosition(tx, { blockNumber: last, blockHash: block(last).hash, finalNumber });
}

export async function finalUpTo(tx: Transaction, finalNumber: number): Promise<void> {
  await tx.query("update chain.cursor set final_number = $1", [finalNumber]);
}

/** An asset of the owner, named by a word; `texts` are its other bytes. */
export function asset(word: string, at: Position, texts: Partial<RawDetails> = {}): NewAsset {
  const salt = wordOf(word);
  const details = { ...rawDetails(mapDetails((field) => (field === "name" ? word : ""))), ...texts };
  const contentHash = hashAsset(owner.address, salt, details);
  const id = assetIdOf(registry, contentHash);
  return { id, author: owner.address, salt, contentHash, details, position: at };
}

export const assetIdFor = (word: string): AssetId => asset(word, position(0)).id;

export async function addAsset(tx: Transaction, word: string, at: Position): Promise<AssetId> {
  const one = asset(word, at);
  await insertAssets(tx, [one]);
  return one.id;
}

export async function changeLink(
  tx: Transaction,
  kind: LinkEvent["kind"],
  parent: AssetId,
  child: AssetId,
  at: Position,
): Promise<void> {
  await applyLinkChanges(tx, [{ kind, parent, child, position: at }]);
}

/** A request to create the asset of this word. */
export async function requestCreation(tx: Transaction, word: string, ttl = 600): Promise<string> {
  const { id: assetId, contentHash } = asset(word, position(0));
  const details = mapDetails((field) => (field === "name" ? word : ""));
  const change: Creation = { kind: "create", salt: wordOf(word), details };
  const request = { ...newRequest(), assetId, ttl, change, contentHash };
  await insertCreation(tx, request);
  return request.id;
}

/** A request to change links of this parent. */
export async function requestLinkChange(
  tx: Transaction,
  parent: AssetId,
  change: LinkChange,
  ttl = 600,
): Promise<string> {
  const { id } = await insertLinkChange(tx, { ...newRequest(), assetId: parent, ttl, change });
  return id;
}

/** The parts that all requests of the tests share. */
export const newRequest = () => ({
  id: randomUUID(),
  tenant: "acme",
  author: owner.address,
  registry,
  calldata: "0x01" as const,
  ttl: 600,
});

export async function found(pool: Pool, id: string): Promise<Request> {
  const one = await findRequest(pool, id);
  if (one === undefined) throw new Error(`there is no request ${id}`);
  return one;
}
