import { ApiError } from "../../domain/errors.ts";
import type { NoProofCause, NoProofError } from "../../rpc/errors/no-proof.ts";

const words: Record<NoProofCause, string> = {
  method: "has no eth_getProof",
  state: "does not prove the state of that block, which it may have pruned or sell by another plan",
  header:
    "tells no header that hashes to that block: it is on another fork, or the chain's headers have fields that it does not tell",
  proof: "gives a proof that does not hold",
};

/** The answer where no node of RPC_URL proves the state of a block; what the nodes said is for the log. */
export function unprovable(error: NoProofError, block: number): ApiError {
  const [cause, ...others] = error.causes.map((cause) => words[cause]);
  const nodes =
    others.length === 0
      ? `the node behind this service ${cause}`
      : `of the nodes behind this service one ${[cause, ...others].join(", and one ")}`;
  return new ApiError(
    "PROOF_UNAVAILABLE",
    `Block ${block} cannot be proven: ${nodes}. The operator can add a node to RPC_URL that proves it.`,
    [],
    { cause: error },
  );
}
