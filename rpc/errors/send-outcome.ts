import type { KnownReason } from "../../domain/request/state.ts";
import { longestSaid } from "./error-message.ts";
import { RpcError } from "./node-error.ts";

/** Why a node rejected a signed transaction. */
export type Rejection =
  /** No node will accept it, at least not without another act of the author. */
  | { kind: "hopeless"; reason: KnownReason }
  /** It may be accepted later. `problem` is the node's message; `lowFee`: its fee is below what the chain takes now. */
  | { kind: "later"; problem: string; lowFee: boolean };

/** A node's error on sending a transaction; `known`: it has the transaction already, which is a success. */
export type SendOutcome = { kind: "known" } | Rejection;

/** Messages of geth, Erigon, Nethermind, Besu, anvil and Hardhat, which have no common codes. */
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

/** A fee below what the chain takes now. Not an underpriced replacement, whatever the chain takes. */
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
