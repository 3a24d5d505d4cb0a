import type { Hash, Hex } from "viem";
import type { Sent, SimulatedChain } from "./chain.ts";

/** A request as its author and the model know it. Nothing here is read from the database. */
export type Asked = {
  id: string;
  call: Exclude<Sent["call"], { kind: "other" }>;
  calldata: Hex;
  /** Which link of its pair it makes or revokes. */
  nth: number;
  /** Transactions that the service knows to be of this request. */
  known: Map<Hash, Known>;
  refused: boolean;
  expired: boolean;
  givenUp: string | undefined;
  /** States that were seen, each change once. */
  seen: string[];
};

type Known = { nonce: number; raw: boolean; accepted: boolean; hopeless: boolean };

export type Expected = { state: string; reason?: string };

type Change = { block: number; hash: Hash };

/** Block and transaction in which the change of a request is on the chain. */
function effectOf(asked: Asked, chain: ReturnType<SimulatedChain["executed"]>): Change | undefined {
  const { call } = asked;
  let made = 0;
  let effect: Change | undefined;
  for (const { sent, succeeded, block } of chain) {
    if (!succeeded || sent.call.kind === "other") continue;
    if (call.kind === "create") {
      if (sent.call.kind === "create" && sent.call.asset === call.asset) effect = { block, hash: sent.hash };
      continue;
    }
    if (sent.call.kind === "create") continue;
    if (sent.call.parent !== call.parent || sent.call.child !== call.child) continue;
    if (sent.call.kind === "link") made += 1;
    if (sent.call.kind !== call.kind) continue;
    if (made === asked.nth || asked.known.has(sent.hash)) effect = { block, hash: sent.hash };
  }
  return effect;
}

/**
 * What the service must say of a request once it has seen everything, in the plainest words: the chain, what
 * the author said, what the service gave up, what it sent, what it was handed in.
 */
export function expectedState(
  asked: Asked,
  chain: SimulatedChain,
  author: Hex,
  confirmations: number,
): Expected {
  const executed = chain.executed();
  const effect = effectOf(asked, executed);
  if (effect !== undefined) {
    return { state: chain.head - effect.block + 1 >= confirmations ? "Confirmed" : "Committed" };
  }
  if (asked.refused) return { state: "RevokedByUser", reason: "REFUSED" };
  if (asked.givenUp !== undefined) return { state: "RevokedByTxServer", reason: asked.givenUp };
  const known = [...asked.known];
  if (executed.some(({ sent, succeeded }) => !succeeded && asked.known.has(sent.hash))) {
    return { state: "RevokedByBlockchain" };
  }
  const nonce = chain.nonceOf(author);
  if (known.length > 0 && known.every(([, one]) => one.nonce < nonce)) {
    return { state: "RevokedByUser", reason: "NONCE_USED" };
  }
  if (known.some(([, { accepted }]) => accepted)) return { state: "Submitted" };
  if (known.length > 0) return { state: "TxSignatureSubmitted" };
  return asked.expired ? { state: "RevokedByTxServer", reason: "EXPIRED" } : { state: "Received" };
}

export const isOver = ({ state }: Expected): boolean =>
  state.startsWith("Revoked") || state === "Committed" || state === "Confirmed";

/** The service has read the chain: what is on it is of its request, and was given up in error if it was. */
export function afterReading(asked: Asked, chain: SimulatedChain): void {
  const executed = chain.executed();
  const effect = effectOf(asked, executed);
  if (effect === undefined) return;
  const { nonce } = (executed.find(({ sent }) => sent.hash === effect.hash) as { sent: Sent }).sent;
  const before = asked.known.get(effect.hash);
  asked.known.set(effect.hash, { nonce, raw: before?.raw ?? false, accepted: true, hopeless: false });
  asked.givenUp = undefined;
}

/** The service has looked after its transactions: what the node has counts, what it refused may be given up. */
export function afterLooking(
  asked: Asked,
  chain: SimulatedChain,
  author: Hex,
  refusals: SimulatedChain["refusals"],
): void {
  for (const [hash, one] of asked.known) {
    if (chain.has(hash)) one.accepted = true;
    const why = refusals.filter((refusal) => refusal.hash === hash).map((refusal) => refusal.why);
    if (one.accepted || why.length === 0) continue;
    if (why.includes("hopeless")) one.hopeless = true;
    else if (asked.expired) one.hopeless = true;
    if (one.hopeless && [...asked.known.values()].every(({ hopeless }) => hopeless)) {
      asked.givenUp = why.includes("hopeless") ? "INSUFFICIENT_FUNDS" : "NOT_ACCEPTED";
    }
  }
  if (expectedState(asked, chain, author, 1).state !== "Submitted" || !asked.expired) return;
  const alive = [...asked.known].filter(([, { hopeless }]) => !hopeless);
  if (alive.every(([hash, { raw }]) => !raw && !chain.has(hash))) asked.givenUp = "DROPPED";
}
