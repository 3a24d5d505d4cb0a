import type { Address, Hex } from "viem";
import type { AssetDetails, AssetId, RawDetails } from "../../domain/asset/asset.ts";
import { addressFromBytes, fromBytes, toBytes } from "../../domain/bytes.ts";
import type { Position } from "../../domain/index/log-position.ts";
import type { Database } from "../core/pool.ts";

/** An asset of the index. `details` is for showing, `raw` is what the chain holds; times in seconds since 1970. */
export type ChainAsset = {
  id: AssetId;
  author: Address;
  salt: Hex;
  details: AssetDetails;
  /** Undefined where the chain holds the very bytes of `details`, as it nearly always does. */
  raw: RawDetails | undefined;
  /** `hashStruct(Asset)` of what the chain brought; the row agrees with it unless it was tampered with. */
  contentHash: Hex;
  position: Position;
  createdOn: number;
  /** Time of the creation, or of the last change to the outgoing links. */
  updatedOn: number;
};

/** Columns of a row that say where it stands on the chain. */
export type PositionColumns = {
  block_number: number;
  transaction_index: number;
  log_index: number;
  transaction_hash: Buffer;
};

function parsePosition(row: PositionColumns): Position {
  return {
    blockNumber: row.block_number,
    transactionIndex: row.transaction_index,
    logIndex: row.log_index,
    transactionHash: fromBytes(row.transaction_hash),
  };
}

/** An asset without its texts. */
export type ChainAssetOutline = Pick<ChainAsset, "id" | "author" | "position" | "createdOn">;

/** The asset of the current chain with this id, without its texts, which may be megabytes. */
export async function findAssetOutline(db: Database, id: AssetId): Promise<ChainAssetOutline | undefined> {
  type Row = PositionColumns & { author: Buffer; created_on: number };
  const { rows } = await db.query<Row>(
    `select author, block_number, transaction_index, log_index, transaction_hash,
       (select timestamp from chain.blocks where number = asset.block_number) as created_on
     from chain.assets asset where id = $1`,
    [toBytes(id)],
  );
  const [row] = rows;
  return (
    row && {
      id,
      author: addressFromBytes(row.author),
      position: parsePosition(row),
      createdOn: row.created_on,
    }
  );
}

/** Which of these ids are assets of the current chain. */
export async function assetsOnChain(db: Database, ids: readonly AssetId[]): Promise<Set<AssetId>> {
  const { rows } = await db.query<{ id: Buffer }>("select id from chain.assets where id = any($1::bytea[])", [
    ids.map(toBytes),
  ]);
  return new Set(rows.map(({ id }) => fromBytes(id)));
}
