/** The states, exactly as docs/spec.md §3 lists them. */
export const assetStates = [
  "Received",
  "Submitted",
  "Committed",
  "Confirmed",
  "TxSignatureSubmitted",
  "RevokedByTxServer",
  "RevokedByUser",
  "RevokedByBlockchain",
] as const;
export type AssetState = (typeof assetStates)[number];

/**
 * Reasons of the states that need one. A revert carries the registry's own error name in capitals (`NOT_AUTHOR`,
 * `LINK_STANDS`, …) besides the ones here.
 */
export const reasons = {
  EXPIRED: "nobody signed it in time",
  REFUSED: "the author signed a refusal",
  NONCE_USED: "the author's nonce was used by another transaction, as a cancel in the wallet does",
  OUT_OF_GAS: "the chain executed it and its gas limit was too low",
  REVERTED: "the chain executed it and it reverted without saying why",
  INSUFFICIENT_FUNDS: "the author's balance cannot pay for its gas",
  GAS_TOO_LOW: "its gas limit is under what any such transaction needs",
  GAS_TOO_HIGH: "its gas limit is over what the chain allows",
  FEE_TOO_LOW: "its fee is under what the chain accepts",
  REJECTED: "the node refused it for good",
  NOT_ESTIMATED: "no node could say what the relayer's call needs",
  NOT_ACCEPTED: "no node took it before its time was over",
  DROPPED: "the nodes lost it, its time is over, and only the wallet that sent it could send it again",
} as const;
export type KnownReason = keyof typeof reasons;

/** Facts of the current chain about one request; a reorg may take any of them back. */
type ChainFacts = {
  /** Block of the current chain in which the requested change is complete. */
  effect: number | undefined;
  /** Newest block that is final; -1 while there is none. */
  finalBlock: number;
  /** The newest revert of a transaction of this request in the current chain, and why it reverted. */
  reverted: { block: number; reason: string } | undefined;
  /**
   * The author's own transactions: how many are known, how many of them have a nonce that the current chain has not
   * passed, and the block that passed the last of the others.
   */
  nonces: { known: number; open: number; passed: number | undefined };
  /** Block of the current chain in which the author voided what they sign for the relayer. */
  voided: number | undefined;
};

/** Facts about one request that the service stores, and the time; no reorg takes them back. */
type StoredFacts = {
  /** The author's signature for the relayer is stored. */
  relayed: boolean;
  /** A signature of the author is stored. */
  signed: boolean;
  /** The node has a transaction of this request, or had it. */
  accepted: boolean;
  /** The author's signed refusal is stored. */
  refused: boolean;
  /** Why the service stopped; taken back where the chain makes the change after all. */
  givenUp: string | undefined;
  /** Its time to be signed is over. */
  overdue: boolean;
};

/** Everything that the state of a request follows from. */
export type Facts = ChainFacts & StoredFacts;

/** Facts of a new request. */
export const nothingYet: Readonly<Omit<Facts, "finalBlock">> = {
  effect: undefined,
  reverted: undefined,
  nonces: { known: 0, open: 0, passed: undefined },
  voided: undefined,
  relayed: false,
  signed: false,
  accepted: false,
  refused: false,
  givenUp: undefined,
  overdue: false,
};

export type Derived = { state: AssetState; reason?: string };

/**
 * The state that follows from the facts; nothing else in the product decides a state. What was refused or given up
 * stays so, whatever the chain does with its transactions, unless it makes the change.
 *
 * ```
 * is the change in the current chain?
 * ├── yes, in a final block ............ Confirmed
 * ├── yes .............................. Committed
 * └── no
 *     ├── the author refused it ........ RevokedByUser (REFUSED)
 *     ├── the service gave it up
 *     │   ├── for a used nonce ......... RevokedByUser (NONCE_USED)
 *     │   └── for another reason ....... RevokedByTxServer (why)
 *     ├── a transaction reverted ....... RevokedByBlockchain (why it reverted)
 *     ├── its nonces are used up ....... RevokedByUser (NONCE_USED)
 *     ├── it expired ................... RevokedByTxServer (EXPIRED)
 *     ├── the node accepted it ......... Submitted
 *     ├── the author signed it ......... TxSignatureSubmitted
 *     └── nothing happened yet ......... Received
 * ```
 */
export function deriveState(facts: Facts): Derived {
  const { effect, finalBlock, refused, givenUp, reverted, accepted, signed } = facts;
  if (effect !== undefined) return { state: effect <= finalBlock ? "Confirmed" : "Committed" };
  if (refused) return { state: "RevokedByUser", reason: "REFUSED" };
  if (givenUp !== undefined) {
    // The relayer finds out that something else has used the nonce of a signature.
    return { state: givenUp === "NONCE_USED" ? "RevokedByUser" : "RevokedByTxServer", reason: givenUp };
  }
  if (reverted !== undefined) return { state: "RevokedByBlockchain", reason: reverted.reason };
  if (noncesUsedAt(facts) !== undefined) return { state: "RevokedByUser", reason: "NONCE_USED" };
  if (isExpired(facts)) return { state: "RevokedByTxServer", reason: "EXPIRED" };
  if (accepted) return { state: "Submitted" };
  if (signed) return { state: "TxSignatureSubmitted" };
  return { state: "Received" };
}

/** Whether its time ran out without a transaction of the author's own, and without one that a node accepted. */
export function isExpired({ overdue, nonces, accepted }: Facts): boolean {
  return overdue && nonces.known === 0 && !accepted;
}

/**
 * The block since which nothing that the author signed can make the change any more: the chain has passed the nonces of
 * all their known transactions, and they have voided the signature for the relayer where one is stored. Where they
 * signed neither, voiding the signature in advance ends the request, too.
 */
export function noncesUsedAt({ nonces, voided, relayed }: Facts): number | undefined {
  if (nonces.open > 0 || (relayed && voided === undefined)) return undefined;
  const closed = [nonces.passed, voided].filter((block) => block !== undefined);
  return closed.length === 0 ? undefined : Math.max(...closed);
}

const revoked: readonly AssetState[] = ["RevokedByTxServer", "RevokedByUser", "RevokedByBlockchain"];

/** Whether a request in this state has ended without its change; the chain may still prove otherwise. */
export function isRevoked(state: AssetState): boolean {
  return revoked.includes(state);
}

/** Whether nothing is to be sent or signed for the request any more: it has ended, or the chain has its change. */
export function isClosed(facts: Facts): boolean {
  return facts.effect !== undefined || isRevoked(deriveState(facts).state);
}

/** Whether nothing is expected of the request any more: it is confirmed, or no reorg can undo its end. */
export function isSettled(facts: Facts): boolean {
  const { state } = deriveState(facts);
  if (!isRevoked(state)) return state === "Confirmed";
  if (facts.refused || facts.givenUp !== undefined || isExpired(facts)) return true;
  const end = facts.reverted?.block ?? noncesUsedAt(facts);
  return end !== undefined && end <= facts.finalBlock;
}
