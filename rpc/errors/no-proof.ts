import { NodeError, RpcError } from "./node-error.ts";

/** Why a node that answers does not prove the state of a block. */
export type NoProofCause =
  /** It has no eth_getProof. */
  | "method"
  /** It has no state of that block, or proves it to nobody. */
  | "state"
  /** The block's header cannot be made from what it tells. */
  | "header"
  /** Its proof does not hold. */
  | "proof";

/** A node that answers does not prove the state of a block, or none of several does; each cause once. */
export class NoProofError extends NodeError {
  override readonly name = "NoProofError";
  readonly causes: readonly NoProofCause[];

  constructor(causes: readonly NoProofCause[], message: string) {
    super("incapable", message);
    this.causes = [...new Set(causes)];
  }
}

/** Known words of nodes and providers without a method; they only save asking again. */
const noMethod =
  /method.{0,80}(not (found|supported|available|allowed|exist|implemented|whitelisted|enabled)|unsupported|unavailable|disabled|blocked|forbidden)|(not found|unsupported|unknown|invalid|disabled|no such) method|not implemented/i;

/** Whether an error of eth_getProof is about the method, and not about the block. */
export function lacksMethod(error: NodeError): boolean {
  return error instanceof RpcError && (error.code === -32601 || noMethod.test(error.said));
}
