import type { AuthorQueue, HeldNonce } from "../../db/service/transactions/nonce-queue.ts";

/** An account's next nonce: by blocks, and by blocks and the node's pool. */
export type AccountNonces = { mined: number; pending: number };

export type NoncePlan = {
  /** The nonce for this request if all earlier ones of the author are signed too. */
  nonce: number;
  /** The lowest nonce that no other transaction holds, with which this request goes first. */
  nextNonce: number;
  /** The pending signed transaction of this request, which another with its nonce replaces. */
  replaces: HeldNonce | undefined;
};

/**
 * The nonces of several requests of one author follow each other by the time of the request, so that they can
 * be signed in a row. One that is signed keeps its nonce; one that ends without a transaction moves the later
 * ones down.
 */
export function planNonce(nonces: AccountNonces, queue: AuthorQueue): NoncePlan {
  const held = new Set(queue.held.map(({ nonce }) => nonce));
  const nextNonce = lowestFree(held, nonces.pending);
  const replaces = queue.held.find(({ own, nonce }) => own && nonce >= nonces.mined);
  if (replaces !== undefined) return { nonce: replaces.nonce, nextNonce: replaces.nonce, replaces };
  let nonce = nextNonce;
  for (let ahead = queue.unsigned; ahead > 0; ahead -= 1) nonce = lowestFree(held, nonce + 1);
  return { nonce, nextNonce, replaces };
}

/** The lowest nonce from `first` on that no stored transaction holds. */
export function lowestFree(held: ReadonlySet<number>, first: number): number {
  let nonce = first;
  while (held.has(nonce)) nonce += 1;
  return nonce;
}
