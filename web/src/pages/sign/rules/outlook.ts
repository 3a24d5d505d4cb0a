import type { AssetState, TransactionStatus } from "asset-registry-client";
import type { Tone } from "../../../parts/tone.ts";
import { texts } from "../../../texts/texts.ts";
import type { Note } from "./note.ts";

/** How a request stands, for its author: in words, with what there is to do. */
export type Outlook = {
  tone: Tone;
  title: string;
  next: string;
  /** Whether the author can still be asked to sign, or to refuse. */
  canSign: boolean;
  /** Whether nothing is expected to change any more. */
  isOver: boolean;
};

/** Milliseconds after which a transaction that no node knows, or no block has, is said to be late. */
const LATE = 120_000;
/** Milliseconds after which an answer that the service has not taken is said to be kept here. */
const AWAY = 3_000;

/** Milliseconds after which it is the visitor's clock that is wrong: a signature is good for no more than a year. */
const LONGEST = 400 * 86_400_000;

const words = texts.sign.outlook;

type Status = Pick<TransactionStatus, "state" | "reason" | "hint" | "history" | "expiresAt">;

/** @param now milliseconds since 1970 */
export function outlookOf(status: Status, note: Note | undefined, now: number): Outlook {
  const { state, reason } = status;
  switch (state) {
    case "Received":
      return received(note, now);
    case "TxSignatureSubmitted":
    case "Submitted":
      return underWay(status, now);
    case "Committed":
      return { tone: "plain", ...words.committed, canSign: false, isOver: false };
    case "Confirmed":
      return { tone: "good", ...words.confirmed, canSign: false, isOver: true };
    default: {
      const title = words.ended[state];
      const said = Object.hasOwn(words.reasons, reason ?? "")
        ? words.reasons[reason as keyof typeof words.reasons]
        : words.otherReason(reason);
      const isRefusal = reason === "REFUSED";
      return { tone: isRefusal ? "plain" : "bad", title, next: said, canSign: false, isOver: true };
    }
  }
}

function received(note: Note | undefined, now: number): Outlook {
  const open = { canSign: true, isOver: false };
  if (note?.answer !== undefined) {
    const age = now - note.at;
    const isAway = note.isDelivered !== true && age > AWAY;
    if (isAway) return { tone: "warn", ...words.telling, canSign: false, isOver: false };
    if (age > LATE) return { tone: "warn", ...words.neverSeen, ...open };
    return { tone: "plain", ...words.sent, canSign: false, isOver: false };
  }
  if (note?.asked !== undefined) return { tone: "warn", ...words.askedBefore, ...open };
  return { tone: "plain", ...words.received, ...open };
}

function underWay({ state, hint, history }: Status, now: number): Outlook {
  const still = { canSign: false, isOver: false };
  if (hint !== undefined)
    return { tone: "warn", title: words.hints[hint.code].title, next: words.hints[hint.code].next, ...still };
  const since = history.findLast((entry) => entry.state === state)?.at;
  const minutes = since === undefined ? 0 : Math.floor((now - Date.parse(since)) / 60_000);
  if (minutes * 60_000 >= LATE && minutes * 60_000 < LONGEST)
    return { tone: "warn", title: words.late.title(minutes), next: words.late.next, ...still };
  return { tone: "plain", ...(state === "Submitted" ? words.submitted : words.signed), ...still };
}

/**
 * Milliseconds until the state is asked for again; false where it stays.
 * @param isAnswered whether the author has answered here, so that a change is near
 */
export function pollPause(state: AssetState | undefined, isAnswered = false): number | false {
  if (state === "Confirmed") return false;
  if (state === "Received" || state === undefined) return isAnswered ? 1_000 : 4_000;
  // A reorg may still bring it back.
  return state.startsWith("Revoked") ? 20_000 : 1_500;
}
