import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseUnavailable, type Pool, type Transaction } from "../../db/core/pool.ts";
import {
  findAnswer,
  type KeptAnswer,
  type KeyedRequest,
  keepAnswer,
} from "../../db/service/idempotency-keys.ts";
import { ApiError, type ErrorCode } from "../../domain/errors.ts";
import { bodyOf, failure } from "../http/respond.ts";
import type { Answer } from "./route.ts";

/** Milliseconds between polls for the answer of a concurrent request with the same key. */
const LOOKS = [0, 50, 100, 200, 400];

/**
 * Refusals that only another request can fix, and which are therefore stored. All others may pass, and are decided anew.
 */
const kept: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "ALREADY_LINKED",
  "NOT_LINKED",
  "TRANSACTION_CLOSED",
  "NONCE_TOO_LOW",
  "INITIALISATION_USED",
  "INITIALISATION_EXPIRED",
  "SIGNED_TRANSACTION_MALFORMED",
  "WRONG_CHAIN",
  "REPLAYABLE_TRANSACTION",
  "UNSUPPORTED_TRANSACTION_TYPE",
  "TRANSACTION_MISMATCH",
  "SIGNER_MISMATCH",
]);

/** Another request with the same key was first. */
class KeyTakenError extends Error {
  override readonly name = "KeyTakenError";
}

/** Stores the answer in the transaction of the change, which is rolled back where the key is taken. */
export async function storeAnswer(
  tx: Transaction,
  request: KeyedRequest,
  status: number,
  answer: Answer<unknown>,
): Promise<void> {
  if (!(await keepAnswer(tx, request, { status, body: bodyOf(answer) }))) throw new KeyTakenError();
}

/**
 * Carries out a request at most once: repetitions get the stored answer. No marker of running work is stored, which a
 * crash could leave behind: the answer is stored with the change, and where the key turns out to be taken, the change is
 * rolled back and the earlier answer returned. So a new key costs one statement.
 * @param store carries the request out, and keeps its answer by `storeAnswer`
 * @throws ApiError IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_USE, or what the request itself throws
 */
export async function answerOnce(
  pool: Pool,
  request: KeyedRequest,
  store: () => Promise<Answer<unknown>>,
): Promise<Answer<unknown> | { replayed: KeptAnswer }> {
  try {
    return await store();
  } catch (error) {
    const earlier = await earlierAnswer(pool, request, error);
    if (earlier !== undefined) return { replayed: earlier };
    if (error instanceof ApiError && kept.has(error.code)) {
      const answer = { status: error.status, body: JSON.stringify(failure(error)) };
      // A refusal that is not stored is decided anew.
      await keepAnswer(pool, request, answer).catch(() => false);
    }
    throw error;
  }
}

async function earlierAnswer(
  pool: Pool,
  request: KeyedRequest,
  error: unknown,
): Promise<KeptAnswer | undefined> {
  if (isDatabaseUnavailable(error)) throw error;
  const isTaken = error instanceof KeyTakenError;
  for (const pause of isTaken ? LOOKS : [0]) {
    if (pause > 0) await sleep(pause);
    const found = await findAnswer(pool, request).catch((problem: unknown) => {
      // The first error is the more useful one.
      throw isTaken ? problem : error;
    });
    if (found === undefined) continue;
    if (found.fingerprint.equals(request.fingerprint)) return found;
    throw new ApiError(
      "IDEMPOTENCY_KEY_REUSED",
      `The Idempotency-Key ${request.key} belongs to another request to this operation. Nothing was changed.`,
    );
  }
  if (!isTaken) return undefined;
  throw new ApiError(
    "IDEMPOTENCY_KEY_IN_USE",
    `A request with the Idempotency-Key ${request.key} is being carried out. Send this one again later.`,
  );
}
