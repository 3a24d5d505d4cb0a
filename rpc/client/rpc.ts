import { NodeError } from "../errors/node-error.ts";
import type { Abilities } from "./abilities.ts";

export type Call = { method: string; params: readonly unknown[] };

/** What became of one call of several. */
export type Outcome = { result: unknown } | { error: NodeError };

/** One JSON-RPC URL. Calls reject with NodeError, and with RpcError where the node answered by an error. */
export type Rpc = {
  /** Host of the URL; the rest of it may hold a key and is never shown. */
  name: string;
  request(call: Call): Promise<unknown>;
  /** Answers to calls that travel together, so that one node answers them all; in the order of the calls. */
  batch(calls: readonly Call[]): Promise<unknown[]>;
  /** What became of each call of a batch. Rejects where the node answers none of them. */
  outcomes(calls: readonly Call[]): Promise<Outcome[]>;
  /** As `outcomes`, of calls that change something: none is repeated because of its answer. */
  each(calls: readonly Call[]): Promise<Outcome[]>;
  /** What this provider has been seen not to have. */
  abilities: Abilities;
  close(): void;
};

export async function settled(answer: Promise<unknown>): Promise<Outcome> {
  try {
    return { result: await answer };
  } catch (error) {
    if (error instanceof NodeError) return { error };
    throw error;
  }
}

export const failed = (outcome: Outcome) => "error" in outcome;
