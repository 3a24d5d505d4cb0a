import { WrongChainError } from "./chain-errors.ts";
import { NodeError } from "./node-error.ts";

/** Whether a call failed because no node answered. */
export const isNodeUnavailable = (error: unknown): error is NodeError | WrongChainError =>
  error instanceof NodeError || error instanceof WrongChainError;
