import type { Address, Hex } from "viem";
import { AssetRows } from "../../../db/chain/assets.ts";
import type { Transaction } from "../../../db/core/pool.ts";
import { type AssetId, detailFields, type RawDetails } from "../../../domain/asset/asset.ts";
import { toBytes } from "../../../domain/bytes.ts";
import type { Position } from "../../../domain/index/log-position.ts";

/** An asset as the chain brought it. */
export type NewAsset = {
  id: AssetId;
  author: Address;
  salt: Hex;
  details: RawDetails;
  contentHash: Hex;
  position: Position;
};

/** Stores assets as the indexer does it. */
export async function insertAssets(tx: Transaction, assets: readonly NewAsset[]): Promise<void> {
  const rows = new AssetRows();
  for (const { id, author, salt, details, contentHash, position } of assets) {
    const texts = detailFields.map((field) => details[field]);
    const hashes = { id: toBytes(id), salt: toBytes(salt), contentHash: toBytes(contentHash) };
    rows.add({ ...hashes, author: toBytes(author), texts, position });
  }
  await rows.insert(tx);
}
