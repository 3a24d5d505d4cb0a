import { keccak256, toHex } from "viem";
import { insertBlocks } from "../../../db/chain/blocks.ts";
import { moveIndexPosition, recordHead } from "../../../db/chain/index-position.ts";
import { applyLinkChanges } from "../../../db/chain/links.ts";
import { inTransaction, type Pool, type Transaction } from "../../../db/core/pool.ts";
import { findRequest } from "../../../db/service/requests/find.ts";
import { recordStates } from "../../../db/service/requests/history.ts";
import { requestsTouched, type Touching } from "../../../db/service/requests/touched.ts";
import { type AssetId, mapDetails, type RawDetails } from "../../../domain/asset/asset.ts";
import type { Registry } from "../../../domain/asset/typed-data.ts";
import type { Position } from "../../../domain/index/log-position.ts";
import { assetIdOf, hashAsset, rawDetails } from "../asset-id.ts";
import { owner } from "../chain/accounts.ts";
import { insertAssets } from "./insert-assets.ts";

const FIRST_TIME = 1_767_225_600;

/**
 * Writes what an indexer would have read from a chain, one block per fact, for tests in which no chain is
 * needed.
 */
export function chainFacts(pool: Pool, registry: Registry) {
  let number = 0;
  let salts = 0;
  const hashOf = (block: number) => keccak256(toHex(`block ${block}`));

  async function block(write: (tx: Transaction, position: Position) => Promise<Touching>): Promise<void> {
    number += 1;
    const position = {
      blockNumber: number,
      transactionIndex: 0,
      logIndex: 0,
      transactionHash: keccak256(toHex(`transaction ${number}`)),
    };
    await inTransaction(pool, async (tx) => {
      await insertBlocks(tx, [
        { number, hash: hashOf(number), parentHash: hashOf(number - 1), timestamp: FIRST_TIME + 12 * number },
      ]);
      const touched = await write(tx, position);
      await moveIndexPosition(tx, {
        blockNumber: number,
        blockHash: hashOf(number),
        finalNumber: number - 4,
      });
      await recordStates(tx, await requestsTouched(tx, touched));
    });
    await recordHead(pool, number, 5);
  }

  return {
    get head() {
      return number;
    },
    timeOf: (block: number) => new Date((FIRST_TIME + 12 * block) * 1000),
    transactionHashOf: (block: number) => keccak256(toHex(`transaction ${block}`)),

    /** An asset that was made without the service. */
    async asset(texts: Partial<Record<keyof RawDetails, string | Uint8Array>> = {}, author = owner.address) {
      salts += 1;
      const salt = keccak256(toHex(`salt ${salts}`));
      const details = mapDetails((field) => {
        const text = texts[field] ?? (field === "name" ? `Asset ${salts}` : "");
        return typeof text === "string" ? new TextEncoder().encode(text) : text;
      });
      const contentHash = hashAsset(author, salt, details);
      const id = assetIdOf(registry, contentHash);
      await block(async (tx, position) => {
        await insertAssets(tx, [{ id, author, salt, details, contentHash, position }]);
        return { assets: [id] };
      });
      return id;
    },

    /** Brings the asset of a request onto the chain. */
    async create(transactionId: string): Promise<void> {
      const request = await findRequest(pool, transactionId);
      if (request?.change.kind !== "create") throw new Error(`${transactionId} creates no asset`);
      const { assetId: id, author } = request;
      const { salt } = request.change;
      const details = rawDetails(request.change.details);
      const contentHash = hashAsset(author, salt, details);
      await block(async (tx, position) => {
        await insertAssets(tx, [{ id, author, salt, details, contentHash, position }]);
        return { assets: [id] };
      });
    },

    async link(parent: AssetId, child: AssetId): Promise<void> {
      await block(async (tx, position) => {
        await applyLinkChanges(tx, [{ kind: "added", parent, child, position }]);
        return { links: [{ parent, child }] };
      });
    },

    async revoke(parent: AssetId, child: AssetId): Promise<void> {
      await block(async (tx, position) => {
        await applyLinkChanges(tx, [{ kind: "revoked", parent, child, position }]);
        return { links: [{ parent, child }] };
      });
    },

    async emptyBlocks(count: number): Promise<void> {
      for (let index = 0; index < count; index += 1) await block(async () => ({}));
    },
  };
}
