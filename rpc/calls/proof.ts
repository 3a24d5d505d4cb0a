import { type Address, type Hash, type Hex, numberToHex } from "viem";
import { z } from "zod";
import type { Outcome, Rpc } from "../client/rpc.ts";
import { lacksMethod, NoProofError } from "../errors/no-proof.ts";
import { isTransient, NodeAnswerError, NodeError } from "../errors/node-error.ts";
import type { Caller } from "./caller.ts";
import { headerInRlp } from "./header-rlp.ts";
import { hex } from "./quantities.ts";
import { rawHeader } from "./raw-header.ts";
import { type RpcCall, rpcCall } from "./rpc-call.ts";

/** An account and slots of its storage, whose state at a block is to be proven. */
export type ProofQuestion = {
  account: Address;
  slots: readonly Hash[];
  block: { number: number; hash: Hash };
};

/** The block's header in RLP, and the nodes of the tries on the way to the account and to each slot (EIP-1186). */
export type StateProof = { header: Hex; account: Hex[]; slots: Hex[][] };

/** Why a proof does not hold; undefined where it does. */
type Check = (proof: StateProof) => string | undefined;

/** Most nodes of a proof, and bytes of a node; those of Ethereum's tries have at most 64 and 532. */
const [mostNodes, longestNode] = [64, 1_024];

const node = hex
  .refine((value) => value.length % 2 === 0 && value.length <= 2 + 2 * longestNode, "is no node of a trie")
  .transform((value) => value.toLowerCase() as Hex);
const nodes = z.array(node).max(mostNodes);

function proofCall({ account, slots, block }: ProofQuestion): RpcCall<Omit<StateProof, "header">> {
  const proof = z
    .object({
      accountProof: nodes,
      storageProof: z.array(z.object({ proof: nodes })).length(slots.length),
    })
    .transform(({ accountProof, storageProof }) => ({
      account: accountProof,
      slots: storageProof.map((slot) => slot.proof),
    }));
  return rpcCall("eth_getProof", [account, slots, numberToHex(block.number)], proof);
}

/** A block as the node tells it, whole; it is checked by its hash. */
const blockCall = (number: number): RpcCall<unknown> =>
  rpcCall("eth_getBlockByNumber", [numberToHex(number), false], z.unknown());

export function proofCalls({ providers }: Caller) {
  /**
   * Asks one provider, header and proof in one batch.
   * @throws NoProofError where it answers, and does not prove this
   */
  async function ask(rpc: Rpc, asked: ProofQuestion, problemOf: Check): Promise<StateProof> {
    if (rpc.abilities.isMissing("state proofs")) {
      throw new NoProofError(["method"], `${rpc.name} had no eth_getProof minutes ago`);
    }
    const { block } = asked;
    const [proofAsked, blockAsked] = [proofCall(asked), blockCall(block.number)];
    // The block comes last: it is asked for alone where a whole batch is refused.
    const [proven, told] = (await rpc.outcomes([proofAsked, blockAsked])) as [Outcome, Outcome];
    if ("error" in told) throw told.error;
    if (told.result === null) {
      const { method, params } = blockAsked;
      throw new NodeAnswerError(method, params, "there is no such block", "missing_block");
    }
    if ("error" in proven) throw rejection(rpc, proven.error);
    const header = headerInRlp(told.result, block.hash) ?? (await rawHeader(rpc, block));
    if (header === undefined) {
      const problem = `block ${block.number} of ${rpc.name} does not hash to ${block.hash}, and debug_getRawHeader gives no header that does`;
      throw new NoProofError(["header"], problem);
    }
    const proof = { header, ...readProof(rpc, proofAsked, proven.result) };
    const problem = problemOf(proof);
    if (problem === undefined) return proof;
    throw new NoProofError(["proof"], `the proof that ${rpc.name} gave does not hold: ${problem}`);
  }

  return {
    /**
     * Proves the state of an account at a block by the first provider that can.
     * @throws NoProofError where providers answer and none of them proves it
     */
    stateProof: async (asked: ProofQuestion, problemOf: Check): Promise<StateProof> => {
      const tried = await providers.tryEach((rpc) => ask(rpc, asked, problemOf));
      if ("output" in tried) return tried.output;
      throw ofAll(tried.problems);
    },
  };
}

/** Whether the node rejects the proof is not read from its words: it has told the block, and only the proof failed. */
function rejection(rpc: Rpc, error: NodeError): NodeError {
  if (isTransient(error)) return error;
  const cause = lacksMethod(error) ? "method" : "state";
  if (cause === "method") rpc.abilities.recordMissing("state proofs");
  return new NoProofError([cause], `${rpc.name}: ${error.message}`);
}

/** The one problem of several providers: what may pass, where there is such, since another try may succeed. */
function ofAll(problems: readonly NodeError[]): NodeError {
  const lasting = problems.filter((problem) => problem instanceof NoProofError);
  const passing = problems.find((problem) => !(problem instanceof NoProofError));
  if (passing !== undefined) return passing;
  return new NoProofError(
    lasting.flatMap(({ causes }) => causes),
    lasting.map(({ message }) => message).join("; "),
  );
}

function readProof(rpc: Rpc, { read }: RpcCall<Omit<StateProof, "header">>, answer: unknown) {
  try {
    return read(answer);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw new NoProofError(["proof"], `${rpc.name}: ${error.message}`);
  }
}
