import { WrongChainError } from "../rpc/errors/chain-errors.ts";

/** Stays until an operator acts or the chain is right again, so nothing is written and the data is left alone. */
export class FatalError extends Error {
  override readonly name = "FatalError";
}

/** Whether waiting does not help; every other error may pass by itself, and the work is tried again. */
export function isFatal(error: unknown): error is FatalError | WrongChainError {
  return error instanceof FatalError || error instanceof WrongChainError;
}
