import { type Address, numberToHex } from "viem";
import type { Database } from "../../../db/core/pool.ts";
import type { User } from "../../../db/service/wallets.ts";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { toBytes } from "../../../domain/bytes.ts";
import type { EventKind } from "../../../domain/events/kinds.ts";
import { owner } from "../chain/accounts.ts";

/** What an event says; all but the kind may be absent. */
export type Told = {
  kind: EventKind;
  tenant?: string | undefined;
  user?: User | undefined;
  requestId?: string | undefined;
  walletId?: string | undefined;
  assetId?: AssetId | undefined;
  targetId?: AssetId | undefined;
  author?: Address | undefined;
  /** A block, with a transaction of the same number. */
  block?: number | undefined;
  details?: Record<string, string> | undefined;
};

/** An event of the chain, as it may come again and again. */
export const assetRegistered = {
  kind: "asset.registered",
  assetId: `0x${"a".repeat(64)}`,
  author: owner.address,
  block: 1,
  details: { name: "Lease", fileName: "", method: "", hash: "" },
} as const satisfies Told;

/** Adds events to the log by one statement, without the facts that they tell of. */
export async function tell(db: Database, ...all: readonly Told[]): Promise<void> {
  const rows = all.map(({ user, requestId, walletId, assetId, targetId, author, block, ...told }) => ({
    ...told,
    issuer: user?.issuer,
    subject: user?.subject,
    request_id: requestId,
    wallet_id: walletId,
    asset_id: assetId && hexOf(assetId),
    target_id: targetId && hexOf(targetId),
    author: author && hexOf(author),
    block_number: block,
    transaction_hash: block === undefined ? undefined : hexOf(numberToHex(block, { size: 32 })),
  }));
  await db.query(
    `insert into service.events (kind, tenant, issuer, subject, request_id, wallet_id, asset_id, target_id, author,
       block_number, transaction_hash, details)
     select kind, tenant, issuer, subject, request_id, wallet_id, asset_id, target_id, author,
       block_number, transaction_hash, details
     from json_populate_recordset(null::service.events, $1)`,
    [JSON.stringify(rows)],
  );
}

/** A bytea as JSON takes it. */
const hexOf = (text: `0x${string}`) => `\\x${toBytes(text).toString("hex")}`;
