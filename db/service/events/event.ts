import type { Address, Hash } from "viem";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { addressFromBytes, fromBytes } from "../../../domain/bytes.ts";
import type { EventKind } from "../../../domain/events/kinds.ts";
import type { User } from "../wallets.ts";

/** An event of the log, as it was when its transaction committed. */
export type LoggedEvent = {
  /** Position in the log, from 1 on, without gaps. */
  sequence: number;
  id: string;
  at: Date;
  kind: EventKind;
  /** The tenant of a request. */
  tenant: string | undefined;
  /** The user of a wallet. */
  user: User | undefined;
  request:
    | { id: string; kind: "create" | "link" | "revoke"; targets: AssetId[]; reason: string | undefined }
    | undefined;
  wallet: { id: string; name: string; description: string } | undefined;
  assetId: AssetId | undefined;
  /** The child of a link, whose parent is `assetId`. */
  targetId: AssetId | undefined;
  /** The author of the asset or request, or the address of the wallet. */
  author: Address | undefined;
  transactionHash: Hash | undefined;
  block: { number: number; hash: Hash | undefined; time: number | undefined } | undefined;
  /** Texts of a registered asset, the long ones left out. */
  asset: { name: string; hash: string; method: string; fileName: string } | undefined;
};

export type EventRow = {
  sequence: number;
  id: string;
  at: Date;
  kind: EventKind;
  tenant: string | null;
  issuer: string | null;
  subject: string | null;
  request_id: string | null;
  request_kind: "create" | "link" | "revoke" | null;
  targets: Buffer[] | null;
  reason: string | null;
  wallet_id: string | null;
  asset_id: Buffer | null;
  target_id: Buffer | null;
  author: Buffer | null;
  transaction_hash: Buffer | null;
  block_number: number | null;
  block_hash: Buffer | null;
  block_time: number | null;
  details: Record<string, string> | null;
};

const hex = (bytes: Buffer | null) => (bytes === null ? undefined : fromBytes(bytes));

export function parseEvent(row: EventRow): LoggedEvent {
  const { issuer, subject, request_id, request_kind, wallet_id, details, block_number } = row;
  const text = (name: string) => details?.[name] ?? "";
  return {
    sequence: row.sequence,
    id: row.id,
    at: row.at,
    kind: row.kind,
    tenant: row.tenant ?? undefined,
    user: issuer === null || subject === null ? undefined : { issuer, subject },
    request:
      request_id === null || request_kind === null
        ? undefined
        : {
            id: request_id,
            kind: request_kind,
            targets: (row.targets ?? []).map(fromBytes),
            reason: row.reason ?? undefined,
          },
    wallet:
      wallet_id === null
        ? undefined
        : { id: wallet_id, name: text("name"), description: text("description") },
    assetId: hex(row.asset_id),
    targetId: hex(row.target_id),
    author: row.author === null ? undefined : addressFromBytes(row.author),
    transactionHash: hex(row.transaction_hash),
    block:
      block_number === null
        ? undefined
        : { number: block_number, hash: hex(row.block_hash), time: row.block_time ?? undefined },
    asset:
      wallet_id !== null || details === null
        ? undefined
        : { name: text("name"), hash: text("hash"), method: text("method"), fileName: text("fileName") },
  };
}
