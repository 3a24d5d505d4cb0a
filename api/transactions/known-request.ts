import type { Hash } from "viem";
import type { Database } from "../../db/core/pool.ts";
import { findRequest } from "../../db/service/requests/find.ts";
import type { Request } from "../../db/service/requests/request.ts";
import { ApiError } from "../../domain/errors.ts";
import { deriveState, isClosed } from "../../domain/request/state.ts";

/** A request after its author's answer was stored; `changed` is false for a repetition. */
export type AfterAnswer = { request: Request; changed: boolean };

/** @throws ApiError TRANSACTION_NOT_FOUND */
export async function knownRequest(db: Database, id: string): Promise<Request> {
  const request = await findRequest(db, id);
  if (request !== undefined) return request;
  throw unknownTransaction(id);
}

export function unknownTransaction(id: string): ApiError {
  return new ApiError("TRANSACTION_NOT_FOUND", `There is no transaction ${id}.`);
}

/** @throws ApiError TRANSACTION_CLOSED, except for the transaction that closed the request */
export function refuseClosed(request: Request, hash: Hash | undefined): void {
  if (!isClosed(request.facts) || (hash !== undefined && request.transactionHash === hash)) return;
  const { state, reason } = deriveState(request.facts);
  const why = reason === undefined ? state : `${state}, ${reason}`;
  throw new ApiError("TRANSACTION_CLOSED", `This transaction takes nothing more: its state is ${why}.`);
}
