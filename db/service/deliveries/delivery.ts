/** `expired`: the event left the log before it could be delivered. */
export const deliveryStates = ["waiting", "delivered", "expired"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Kind of what is sent to try a webhook out; it is in no log. */
export const TEST_KIND = "webhook.test";

/** An attempt to deliver. */
export type Attempt = {
  at: Date;
  durationMs: number;
  /** HTTP status; undefined where there was no answer. */
  status: number | undefined;
  /** Why it failed, by code and in a sentence; undefined where it succeeded. */
  problem: string | undefined;
  message: string | undefined;
  /** The first bytes of the answer. */
  answer: string;
};

/** An event that is or was sent to a webhook. */
export type Delivery = {
  id: string;
  eventId: string;
  /** Undefined for a test. */
  sequence: number | undefined;
  kind: string;
  state: DeliveryState;
  queuedAt: Date;
  endedAt: Date | undefined;
  /** When it is tried again after a failure. */
  nextAttemptAt: Date | undefined;
  /** In the list of its webhook. */
  place: number;
  /** Oldest first; the last of many. */
  attempts: Attempt[];
};

type AttemptRow = {
  at: string;
  duration: number;
  status: number | null;
  problem: string | null;
  message: string | null;
  answer: string;
};

export type DeliveryRow = {
  id: string;
  event_id: string;
  sequence: number | null;
  kind: string;
  state: DeliveryState;
  at: Date;
  ended_at: Date | null;
  due_at: Date | null;
  ordinal: number;
  attempts: AttemptRow[] | null;
};

export function parseDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    eventId: row.event_id,
    sequence: row.sequence ?? undefined,
    kind: row.kind,
    state: row.state,
    queuedAt: row.at,
    endedAt: row.ended_at ?? undefined,
    nextAttemptAt: row.due_at ?? undefined,
    place: row.ordinal,
    attempts: (row.attempts ?? []).map((attempt) => ({
      at: new Date(attempt.at),
      durationMs: attempt.duration,
      status: attempt.status ?? undefined,
      problem: attempt.problem ?? undefined,
      message: attempt.message ?? undefined,
      answer: attempt.answer,
    })),
  };
}
