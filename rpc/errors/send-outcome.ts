import type { KnownReason } from "../../domain/request/state.ts";
import { RpcError } from "./node-error.ts";
import { longestSaid } from "./refusal.ts";

/**
 * What a node's refusal of a signed transaction means.
 *
 * - `known`: it has the transaction already, which is a success
 * - `hopeless`: no node will ever take it, or not without the author's doing
 * - `later`: it may be taken at another time; the problem in the node's words, and whether it is the fee
 */
export type SendOutcome =
  | { kind: "known" }
  | { kind: "hopeless"; reason: KnownReason }
  | { kind: "later"; problem: string; lowFee: boolean };

/** Nodes share no codes for these, only words; each pattern was seen from geth, Erigon, Nethermind, Besu, anvil or Hardhat. */
const meanings: [RegExp, SendOutcome][] = [
  [/already known|already imported|\bknown transaction|alreadyknown|already exists/i, { kind: "known" }],
  [
    /insufficient funds|doesn't have enough funds|insufficient balance|upfront cost/i,
    { kind: "hopeless", reason: "INSUFFICIENT_FUNDS" },
  ],
  [
    /intrinsic gas too low|gas limit is too low|requires at least \d+ gas|call gas cost exceeds/i,
    { kind: "hopeless", reason: "GAS_TOO_LOW" },
  ],
  [
    /exceeds block gas limit|exceeds transaction gas cap|gas limit is too high|exceeds the block gas limit|gas limit.{0,100}(cap|greater)/i,
    { kind: "hopeless", reason: "GAS_TOO_HIGH" },
  ],
  [/oversized data|transaction size|tx too large/i, { kind: "hopeless", reason: "REJECTED" }],
];

/** Of a replacement they say that it is underpriced, too, whatever the chain asks for. */
const lowFeePattern =
  /base ?fee|feetoolow|(?<!replacement )transaction underpriced|gas price (too low|below|is too low)/i;

/** Reads the error of `eth_sendRawTransaction`. */
export function readSendError(error: unknown): SendOutcome {
  if (!(error instanceof RpcError) || error.reason !== "rpc_error") {
    return { kind: "later", problem: error instanceof Error ? error.message : String(error), lowFee: false };
  }
  const said = error.said.slice(0, longestSaid);
  const meaning = meanings.find(([pattern]) => pattern.test(said));
  return meaning?.[1] ?? { kind: "later", problem: said, lowFee: lowFeePattern.test(said) };
}
