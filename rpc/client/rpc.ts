import { NodeError } from "../errors/node-error.ts";
import type { Abilities } from "./abilities.ts";

export type Call = { method: string; params: readonly unknown[] };

/** Outcome of one call of several. */
export type Outcome = { result: unknown } | { error: NodeError };

/** One JSON-RPC URL. Calls reject with NodeError, or with RpcError where the node answered with an error. */
export type Rpc = {
  /** Host of the URL; the rest of it may hold a key and is never shown. */
  name: string;
  request(call: Call): Promise<unknown>;
  /** Results of calls that are sent in one batch, so that one node answers them all; in order. */
  batch(calls: readonly Call[]): Promise<unknown[]>;
  /** Outcome of each call of a batch. Rejects where the node answers none of them. */
  outcomes(calls: readonly Call[]): Promise<Outcome[]>;
  /** Like `outcomes`, for calls with effects: none is repeated because of its answer. */
  each(calls: readonly Call[]): Promise<Outcome[]>;
  /** Missing features of this provider. */
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
