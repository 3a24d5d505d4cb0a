import { WrongChainError } from "./chain-errors.ts";
import { NodeError } from "./node-error.ts";

/** Whether no node answered what was asked, so that nothing is known about it. */
export const isNodeUnavailable = (error: unknown): error is NodeError | WrongChainError =>
  error instanceof NodeError || error instanceof WrongChainError;
