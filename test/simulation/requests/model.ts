import type { Address, Hash, Hex } from "viem";
import type { Executed, SimulatedChain } from "./chain.ts";
import type { Change } from "./registry.ts";

/** A request as its author and the model know it. Nothing here is read from the database. */
export type Asked = {
  id: string;
  author: Address;
  call: Change;
  calldata: Hex;
  /** What the author can void on the chain: the creation, or the nonce of the link change. */
  voidable: Hex;
  /** Which link of each pair it makes or revokes, by child. */
  turns: ReadonlyMap<Hex, number>;
  /** Transactions that the service knows to be of this request. */
  known: Map<Hash, Known>;
  /** Hashes that were reported of it, which the node has not shown yet. */
  reported: Set<Hash>;
  /** The author's signature for the gasless way is stored. */
  signed: boolean;
  refused: boolean;
  /** The author is about to refuse it: when the service finds that the node has lost a transaction of it. */
  refusesLate: boolean;
  expired: boolean;
  givenUp: string | undefined;
  /** States that were seen, each change once. */
  seen: string[];
  /** The head when its nonces were first seen to be used, while that holds. */
  usedSince: number | undefined;
};

type Known = {
  nonce: number;
  /** Somebody else than the author sent it. */
  foreign: boolean;
  /** The service could send it. */
  raw: boolean;
  accepted: boolean;
  /** The service does not send it any more. */
  hopeless: boolean;
  /** The node had it, and does not have it any more. */
  missing: boolean;
  /** The head when the node began to refuse it for good, or not to have it, while it goes on. */
  endingSince: number | undefined;
};

export const handedIn = (nonce: number): Known => ({
  nonce,
  foreign: false,
  raw: true,
  accepted: false,
  hopeless: false,
  missing: false,
  endingSince: undefined,
});

export type Expected = {
  state: string;
  reason?: string | undefined;
  block?: number;
  hash?: Hash;
  /** What may as well be said, where it depends on what the service knew when. */
  or?: Expected;
};

/** The newest transaction in which the change of a request is on the chain, whole. */
function effectOf({ call, turns, known }: Asked, chain: SimulatedChain): Executed | undefined {
  if (call.kind === "create") return chain.about(call.asset).findLast((one) => isChange(one, call.kind));
  const made = new Map<Hex, number>();
  const done = new Set<Hex>();
  let newest: Executed | undefined;
  for (const one of chain.about(call.parent)) {
    const { call: other, hash } = one.sent;
    if (!one.succeeded || (other.kind !== "link" && other.kind !== "revoke")) continue;
    for (const child of other.children) {
      if (other.kind === "link") made.set(child, (made.get(child) ?? 0) + 1);
      const asked = turns.get(child);
      if (other.kind !== call.kind || asked === undefined) continue;
      if (made.get(child) !== asked && !known.has(hash)) continue;
      done.add(child);
      newest = one;
    }
  }
  return done.size === turns.size ? newest : undefined;
}

const isChange = ({ sent, succeeded }: Executed, kind: string) => succeeded && sent.call.kind === kind;

/** Where the author voided what they can sign for the gasless way. */
const voidOf = ({ author, voidable }: Asked, chain: SimulatedChain): Executed | undefined =>
  chain
    .about(voidable)
    .find(
      ({ sent: { call }, succeeded }) =>
        succeeded &&
        (call.kind === "void creation" || call.kind === "void link change") &&
        call.author === author,
    );

/** Transactions of the request that the chain executed in vain. */
const revertsOf = ({ known }: Asked, chain: SimulatedChain): Executed[] =>
  [...known.keys()].flatMap((hash) => chain.mined(hash) ?? []).filter(({ succeeded }) => !succeeded);

/** The block in which the last way was closed that the author may have taken; undefined while one is open. */
function closedIn(asked: Asked, chain: SimulatedChain): number | undefined {
  const voided = voidOf(asked, chain);
  if (asked.signed && voided === undefined) return undefined;
  const own = [...asked.known.values()].filter(({ foreign }) => !foreign);
  if (own.length === 0 && voided === undefined) return undefined;
  const users = own.map(({ nonce }) => chain.user(asked.author, nonce));
  if (users.includes(undefined)) return undefined;
  return Math.max(...users.map((user) => (user as Executed).block), voided?.block ?? 0);
}

/**
 * What the service must say of a request once it has seen everything, in the plainest words: the chain, what
 * the author said, what the service gave up, what it sent, what it was handed in.
 */
export function expectedState(asked: Asked, chain: SimulatedChain, confirmations: number): Expected {
  const effect = effectOf(asked, chain);
  if (effect !== undefined) {
    const { block, sent } = effect;
    const state = isFinal(block, chain, confirmations) ? "Confirmed" : "Committed";
    return { state, block, hash: sent.hash };
  }
  // These end a request for good: the chain is asked no more about what it executes in vain.
  if (asked.refused) return { state: "RevokedByUser", reason: "REFUSED" };
  if (asked.givenUp !== undefined) return { state: "RevokedByTxServer", reason: asked.givenUp };
  const closed = closedIn(asked, chain);
  const byNonce = closed === undefined ? undefined : { state: "RevokedByUser", reason: "NONCE_USED" };
  // What was over for good before a transaction was executed in vain stays as it was.
  const isAfter = ({ block }: Executed, end = Number.POSITIVE_INFINITY) => block - end >= confirmations;
  const reverts = revertsOf(asked, chain).filter(
    (one) => byNonce === undefined || !isAfter(one, asked.usedSince),
  );
  if (reverts.length > 0) {
    const reasons = new Set(reverts.map(({ sent }) => (sent.enoughGas ? "REVERTED" : "OUT_OF_GAS")));
    const reason = reasons.size === 1 ? [...reasons][0] : undefined;
    const reverted = { state: "RevokedByBlockchain", reason };
    return byNonce !== undefined && reverts.every((one) => isAfter(one, closed))
      ? { ...reverted, or: byNonce }
      : reverted;
  }
  if (byNonce !== undefined) return byNonce;
  const known = [...asked.known.values()];
  if (known.some(({ accepted }) => accepted)) return { state: "Submitted" };
  if (known.some(({ foreign }) => !foreign)) return { state: "TxSignatureSubmitted" };
  if (asked.expired) return { state: "RevokedByTxServer", reason: "EXPIRED" };
  return { state: asked.signed ? "TxSignatureSubmitted" : "Received" };
}

const isFinal = (block: number, chain: SimulatedChain, confirmations: number) =>
  chain.head - block + 1 >= confirmations;

export const isOver = ({ state }: Expected): boolean =>
  state.startsWith("Revoked") || state === "Committed" || state === "Confirmed";

/** Whether nothing is expected of a request any more; undefined where the service may or may not know yet. */
export function isSettled(asked: Asked, chain: SimulatedChain, confirmations: number): boolean | undefined {
  const { state, reason, or } = expectedState(asked, chain, confirmations);
  if (or !== undefined) return undefined;
  if (!state.startsWith("Revoked")) return state === "Confirmed";
  const own = [...asked.known.values()].filter(({ foreign, accepted }) => !foreign || accepted);
  if (asked.refused || asked.givenUp !== undefined || (asked.expired && own.length === 0)) return true;
  if (state === "RevokedByBlockchain") {
    return isFinal(Math.max(...revertsOf(asked, chain).map(({ block }) => block)), chain, confirmations);
  }
  if (reason !== "NONCE_USED" || !isFinal(closedIn(asked, chain) as number, chain, confirmations))
    return false;
  // The index knows of a nonce as of the head at which it asked.
  return asked.usedSince !== undefined && isFinal(asked.usedSince, chain, confirmations) ? true : undefined;
}

/** The service has read the chain: what is on it is of its request, and was given up in error if it was. */
export function afterReading(asked: Asked, chain: SimulatedChain): void {
  const effect = effectOf(asked, chain);
  if (effect === undefined) return;
  const { hash, nonce, sender } = effect.sent;
  const raw = asked.known.get(hash)?.raw ?? false;
  const foreign = sender !== asked.author;
  asked.known.set(hash, {
    nonce,
    foreign,
    raw,
    accepted: true,
    hopeless: false,
    missing: false,
    endingSince: undefined,
  });
  asked.givenUp = undefined;
}

/**
 * The service has looked after its transactions, once: what the node has counts, what it refused may be given up,
 * and so may what only a wallet could send again.
 */
export function afterLooking(
  asked: Asked,
  chain: SimulatedChain,
  sends: SimulatedChain["sends"],
  confirmations: number,
): void {
  if (isSettled(asked, chain, confirmations) === true) return;
  for (const hash of asked.reported) {
    if (!chain.has(hash) || asked.known.has(hash)) continue;
    const nonce = (chain.pool.get(hash) ?? chain.mined(hash)?.sent)?.nonce ?? 0;
    asked.known.set(hash, { ...handedIn(nonce), raw: false, accepted: true });
  }
  for (const [hash, one] of asked.known) {
    if (one.hopeless) continue;
    if (chain.has(hash)) Object.assign(one, { accepted: true, missing: false, endingSince: undefined });
    else if (one.accepted) {
      one.missing = true;
      one.endingSince ??= chain.head;
    }
  }
  for (const { hash, refused } of new Map(sends.map((send) => [send.hash, send])).values()) {
    const one = asked.known.get(hash);
    if (one === undefined || refused === undefined || one.accepted || one.hopeless) continue;
    if (refused === "later" && !asked.expired) {
      one.endingSince = undefined;
      continue;
    }
    one.endingSince ??= chain.head;
    // What a reorg can still change, and what may be one node's error, ends nothing.
    if (!isFinal(one.endingSince, chain, confirmations)) continue;
    one.hopeless = true;
    if (![...asked.known.values()].every(({ hopeless }) => hopeless)) continue;
    asked.givenUp = refused === "hopeless" ? "INSUFFICIENT_FUNDS" : "NOT_ACCEPTED";
  }
  if (!asked.expired || expectedState(asked, chain, confirmations).state !== "Submitted") return;
  const alive = [...asked.known.values()].filter(({ hopeless }) => !hopeless);
  const isLost = ({ raw, missing, endingSince }: Known) =>
    !raw && missing && endingSince !== undefined && isFinal(endingSince, chain, confirmations);
  if (alive.every(isLost)) asked.givenUp = "DROPPED";
}

/** Whether the service may send this transaction, as far as it can know; `known` as it was before. */
export function maySend(asked: Asked, hash: Hash, chain: SimulatedChain, confirmations: number): boolean {
  if (isOver(expectedState(asked, chain, confirmations))) return false;
  const nonce = asked.known.get(hash)?.nonce ?? 0;
  const passed = chain.nonceOf(asked.author);
  // One that may still be executed before it would make the change twice.
  return ![...asked.known.values()].some(
    (one) => one.accepted && !one.foreign && one.nonce < nonce && one.nonce >= passed,
  );
}

/** The transaction that the service must send now: the node does not have it. */
export function mustBeSent(asked: Asked, chain: SimulatedChain, confirmations: number): Hash | undefined {
  if (isOver(expectedState(asked, chain, confirmations))) return undefined;
  const passed = chain.nonceOf(asked.author);
  const open = [...asked.known].filter(([, one]) => !one.hopeless && !one.foreign && one.nonce >= passed);
  const [hash, first] = open.toSorted(([, a], [, b]) => a.nonce - b.nonce)[0] ?? [];
  return first?.raw && !chain.has(hash as Hash) ? hash : undefined;
}
