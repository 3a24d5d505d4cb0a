import type { EventGroup, EventKind } from "./event.ts";
import type { Hex } from "./hex.ts";

/** A receiver to which the service sends events. */
export type Webhook = {
  id: string;
  url: string;
  description: string;
  /** Kinds of events that it is sent. */
  kinds: EventKind[];
  /** It is sent only what is about this asset, of a link about either end. */
  assetId?: Hex | undefined;
  /** `paused`: events are kept for it, and sent once it is active again. `ended`: none are. */
  state: "active" | "paused" | "ended";
  /** Why it is paused or ended: its tenant asked, deliveries failed for too long, or its receiver answered 410. */
  reason?: "asked" | "failing" | "gone" | undefined;
  /** Since when no delivery has succeeded (ISO 8601). */
  failingSince?: string | undefined;
  /** Until when the secret before the last rotation signs too (ISO 8601). */
  previousSecretUntil?: string | undefined;
  /** ISO 8601 with +00:00. */
  createdAt: string;
  updatedAt: string;
};

/** `secret` verifies what is sent; it is shown this once. */
export type WebhookWithSecret = Webhook & { secret: string };

export type WebhookCreation = {
  /** Where events are sent: https, to a public address. */
  url: string;
  description?: string | undefined;
  /** Kinds, and groups of kinds; `request` where it is left out. */
  kinds?: readonly (EventKind | EventGroup)[] | undefined;
  assetId?: string | undefined;
};

/** What is left out stays as it is. */
export type WebhookChange = Partial<Omit<WebhookCreation, "assetId">> & {
  /** null: about any asset. */
  assetId?: string | null | undefined;
  state?: "active" | "paused" | undefined;
};

/** An attempt to deliver. */
export type DeliveryAttempt = {
  /** ISO 8601 with +00:00. */
  at: string;
  /** Milliseconds until its end. */
  durationMs: number;
  /** HTTP status, where there was an answer. */
  status?: number | undefined;
  /** Why it failed. */
  problem?:
    | "URL_NOT_ALLOWED"
    | "ADDRESS_NOT_ALLOWED"
    | "UNKNOWN_HOST"
    | "CONNECTION_FAILED"
    | "TLS_FAILED"
    | "TIMEOUT"
    | "INVALID_ANSWER"
    | "CLOSED_EARLY"
    | "ANSWER_TOO_LARGE"
    | "REDIRECT"
    | "NOT_ACCEPTED"
    | undefined;
  /** A sentence about the problem, for people. */
  message?: string | undefined;
  /** The first bytes of the answer's body. */
  answer?: string | undefined;
};

/** An event on its way to a webhook, and what came of it. */
export type Delivery = {
  id: string;
  /** Stays the same where the event is delivered again. */
  eventId: string;
  /** Of the event; a test has none. */
  sequence?: number | undefined;
  /** Of the event, or `webhook.test`. */
  kind: string;
  /** `expired`: the event left the log before it could be delivered. */
  state: "waiting" | "delivered" | "expired";
  queuedAt: string;
  endedAt?: string | undefined;
  nextAttemptAt?: string | undefined;
  /** Oldest first, the last 50. */
  attempts: DeliveryAttempt[];
};

/** An event that tries a webhook out; it is in no log. */
export type WebhookTest = { id: string; kind: "webhook.test"; time: string; data: { webhookId: string } };
