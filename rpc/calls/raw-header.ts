import { type Hash, type Hex, keccak256, numberToHex } from "viem";
import { bounds } from "../../proof/src/document/bounds.ts";
import type { Rpc } from "../client/rpc.ts";
import { lacksMethod } from "../errors/no-proof.ts";
import { isTransient, NodeError } from "../errors/node-error.ts";
import { hex } from "./quantities.ts";
import { rpcCall } from "./rpc-call.ts";

const header = hex
  .refine((value) => value.length % 2 === 0 && value.length <= 2 + 2 * bounds.headerBytes, "is no header")
  .transform((value) => value.toLowerCase() as Hex);

/**
 * The header of a block in RLP as the node itself has it, by `debug_getRawHeader`: chains whose headers have fields of
 * their own have no other way.
 * @returns undefined where the node does not offer it, or what it answers does not hash to the block's hash
 */
export async function rawHeader(rpc: Rpc, block: { number: number; hash: Hash }): Promise<Hex | undefined> {
  if (rpc.abilities.isMissing("raw headers")) return undefined;
  const asked = rpcCall("debug_getRawHeader", [numberToHex(block.number)], header);
  try {
    const raw = asked.read(await rpc.request(asked));
    return keccak256(raw) === block.hash ? raw : undefined;
  } catch (error) {
    if (!(error instanceof NodeError) || isTransient(error)) throw error;
    if (lacksMethod(error)) rpc.abilities.recordMissing("raw headers");
    return undefined;
  }
}
