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

/**
 * Facts about one request, all of them reversible by a reorg but `refused`, `givenUp` and `signed`.
 *
 * - `effect`: block of the current chain in which the requested change is complete
 * - `finalBlock`: newest block that is final
 * - `reverted`: reason of a transaction of this request that reverted in a block of the current chain
 * - `nonceUsed`: each known transaction of the author has a nonce that the current chain has passed, and a
 *   gasless signature is void because its author cancelled it there
 * - `refused`: the author's signed refusal is stored
 * - `givenUp`: reason for which the service stopped
 * - `accepted`: the node has a transaction of this request, or had it
 * - `signed`: the author's valid signature is stored
 */
export type Facts = {
  effect: number | undefined;
  finalBlock: number;
  reverted: string | undefined;
  nonceUsed: boolean;
  refused: boolean;
  givenUp: string | undefined;
  accepted: boolean;
  signed: boolean;
};

/** Facts of a new request. */
export const nothingYet: Readonly<Omit<Facts, "finalBlock">> = {
  effect: undefined,
  reverted: undefined,
  nonceUsed: false,
  refused: false,
  givenUp: undefined,
  accepted: false,
  signed: false,
};

export type Derived = { state: AssetState; reason?: string };

/**
 * The state that follows from the facts; nothing else in the product decides a state.
 *
 * ```
 * is the change in the current chain?
 * ├── yes, in a final block ............ Confirmed
 * ├── yes .............................. Committed
 * └── no
 *     ├── a transaction reverted ....... RevokedByBlockchain (why it reverted)
 *     ├── the author refused it ........ RevokedByUser (REFUSED)
 *     ├── its nonces are used up ....... RevokedByUser (NONCE_USED)
 *     ├── the service gave it up ....... RevokedByTxServer (why)
 *     ├── the node accepted it ......... Submitted
 *     ├── the author signed it ......... TxSignatureSubmitted
 *     └── nothing happened yet ......... Received
 * ```
 */
export function deriveState(facts: Facts): Derived {
  if (facts.effect !== undefined) {
    return { state: facts.effect <= facts.finalBlock ? "Confirmed" : "Committed" };
  }
  if (facts.reverted !== undefined) return { state: "RevokedByBlockchain", reason: facts.reverted };
  if (facts.refused) return { state: "RevokedByUser", reason: "REFUSED" };
  if (facts.nonceUsed) return { state: "RevokedByUser", reason: "NONCE_USED" };
  if (facts.givenUp !== undefined) return { state: "RevokedByTxServer", reason: facts.givenUp };
  if (facts.accepted) return { state: "Submitted" };
  if (facts.signed) return { state: "TxSignatureSubmitted" };
  return { state: "Received" };
}

const revoked: readonly AssetState[] = ["RevokedByTxServer", "RevokedByUser", "RevokedByBlockchain"];

/** Whether a request in this state has ended without its change; the chain may still prove otherwise. */
export function isRevoked(state: AssetState): boolean {
  return revoked.includes(state);
}
