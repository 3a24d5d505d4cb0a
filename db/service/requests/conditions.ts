/**
 * Conditions on requests in SQL, for lists and counts that must not read the facts of each. They stand on the states
 * that `recordStatesOf` wrote down; the clock alone, which writes nothing down, is asked anew. A test holds each equal to
 * the answer of `domain/request/state.ts`.
 */

/** Whether a request is `Received`: its author has not answered it, and may. */
export const isReceived = (request: string): string =>
  `(not ${request}.settled and ${request}.noted_state = 'Received' and ${request}.expires_at > now())`;

/** Whether a request that is not settled has expired, as `isExpired`. */
export const hasExpired = (request: string): string => `(
  not ${request}.settled and ${request}.expires_at <= now()
  and not exists (
    select from service.transactions
    where request_id = ${request}.id and (by_author or accepted_at is not null)))`;

/** Whether nobody has made the requested change yet, as far as was noted. */
export const isUnmade = (request: string): string =>
  `(not ${request}.settled and ${request}.noted_state <> 'Committed')`;
