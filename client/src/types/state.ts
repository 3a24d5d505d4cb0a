import type { Hex } from "./hex.ts";

/** The state of an asset or a transaction; a reorg may take it back until it is Confirmed. */
export type AssetState =
  | "Received"
  | "TxSignatureSubmitted"
  | "Submitted"
  | "Committed"
  | "Confirmed"
  | "RevokedByUser"
  | "RevokedByTxServer"
  | "RevokedByBlockchain";

/** Why a pending transaction is delayed, and since when (ISO 8601). */
export type Hint = { code: "NOT_SEEN" | "FEE_BELOW_BASE_FEE"; since: string; message: string };

export type HistoryEntry = {
  state: AssetState;
  /** ISO 8601 with +00:00. */
  at: string;
  reason?: string | undefined;
  transactionHash?: Hex | undefined;
  blockNumber?: number | undefined;
};

/** Details of a state; each is absent where there is none. */
export type StateDetails = {
  /** Why the state holds, where the state alone does not say it. */
  reason?: string | undefined;
  hint?: Hint | undefined;
  transactionHash?: Hex | undefined;
  blockNumber?: number | undefined;
};
