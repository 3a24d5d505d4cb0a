import type { AssetId } from "../../../domain/asset/asset.ts";
import { fromBytes } from "../../../domain/bytes.ts";
import type { EventKind } from "../../../domain/events/kinds.ts";
import type { WebhookReason, WebhookState } from "../../../domain/webhooks/state.ts";

/** A receiver of events that a tenant has registered. */
export type Webhook = {
  id: string;
  tenant: string;
  url: string;
  description: string;
  /** Kinds of events that are sent to it. */
  kinds: EventKind[];
  /** Only events of this asset are sent. */
  assetId: AssetId | undefined;
  state: WebhookState;
  /** Why it is paused or ended. */
  reason: WebhookReason | undefined;
  createdAt: Date;
  updatedAt: Date;
  /** Signs what is sent. */
  secret: string;
  /** Signs too, until `previousUntil`. */
  previousSecret: string | undefined;
  previousUntil: Date | undefined;
  /** Events up to this sequence number are not sent. */
  afterSequence: number;
  /** Since when no delivery has succeeded. */
  failingSince: Date | undefined;
};

export type WebhookRow = {
  id: string;
  tenant: string;
  url: string;
  description: string;
  kinds: EventKind[];
  asset_id: Buffer | null;
  state: WebhookState;
  reason: WebhookReason | null;
  created_at: Date;
  updated_at: Date;
  secret: string;
  previous_secret: string | null;
  previous_until: Date | null;
  after_sequence: number;
  failing_since: Date | null;
};

export function parseWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    tenant: row.tenant,
    url: row.url,
    description: row.description,
    kinds: row.kinds,
    assetId: row.asset_id === null ? undefined : fromBytes(row.asset_id),
    state: row.state,
    reason: row.reason ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    secret: row.secret,
    previousSecret: row.previous_secret ?? undefined,
    previousUntil: row.previous_until ?? undefined,
    afterSequence: row.after_sequence,
    failingSince: row.failing_since ?? undefined,
  };
}
