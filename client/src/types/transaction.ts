import type { Hex } from "./hex.ts";
import type { AssetState, HistoryEntry, StateDetails } from "./state.ts";

/** EIP-712 typed data in the form of `eth_signTypedData_v4`. */
export type TypedData = {
  domain: {
    [field: string]: unknown;
    name?: string | undefined;
    version?: string | undefined;
    chainId?: number | undefined;
    verifyingContract?: Hex | undefined;
  };
  types: Record<string, readonly { name: string; type: string }[]>;
  primaryType: string;
  message: Record<string, unknown>;
};

/** A request for a change of the registry, and how far it is. */
type Request = StateDetails & {
  id: string;
  kind: "create" | "link" | "revoke";
  assetId: Hex;
  state: AssetState;
  /** ISO 8601 with +00:00. */
  expiresAt: string;
};

/** A transaction for the author to sign; of a closed one, all from `to` to `gasless` is null. */
export type Transaction = Request & {
  /** The console's page where the author signs or refuses it; as secret as the id. */
  signUrl: string;
  /** A plain description of its effect. */
  summary: string;
  signer: Hex;
  /** Name of the tenant whose API key asked for it. */
  requestedBy: string;
  call: { function: string; arguments: Record<string, unknown> };
  chainId: number;
  to: Hex | null;
  data: Hex | null;
  value: Hex | null;
  /** To sign several requests of the author in a row: refused as NONCE_GAP while an earlier one is missing. */
  nonce: number | null;
  /** To sign this request alone: accepted at once, whatever waits before it. */
  nextNonce: number | null;
  gas: Hex | null;
  maxFeePerGas: Hex | null;
  maxPriorityFeePerGas: Hex | null;
  gasPrice: Hex | null;
  /** Why it would fail now, as a message. */
  warning: string | null;
  /** To sign where the author refuses the request. */
  refusal: TypedData | null;
  /** To sign where the service's relayer should send it; null where no relayer works. */
  gasless: TypedData | null;
  /** Until when anybody may still make the change with the gasless signature, which is not needed any more. */
  signatureAliveUntil: string | null;
  /** The call by which the author voids that signature on the chain. */
  cancelSignature: { to: Hex; data: Hex; value: Hex | null } | null;
  createdAt: string;
  history: HistoryEntry[];
};

/** The status of a transaction, without the data to sign. */
export type TransactionStatus = Request & Pick<Transaction, "signatureAliveUntil" | "history">;

/** A request in a signer's inbox; its id is a capability. */
export type InboxEntry = Omit<Request, "blockNumber"> &
  Pick<Transaction, "signUrl" | "signer" | "requestedBy" | "summary" | "createdAt"> & {
    /** Name of the asset that it registers; null of a change of links. */
    assetName: string | null;
  };

/** One of `signedTransaction`, `transactionHash` and `signature`. */
export type Submission = {
  /** The raw transaction of the wallet in 0x hex. */
  signedTransaction?: string | undefined;
  /** Checked against the signature. */
  signerAddress?: string | undefined;
  description?: string | undefined;
  /** Of a transaction that the wallet sent itself; nothing may stand beside it. */
  transactionHash?: string | undefined;
  /** The author's, over `gasless`: the relayer sends it; nothing may stand beside it. */
  signature?: string | undefined;
};

/** The asset's id and state after a refusal. */
export type RefusalOutcome = { id: Hex; transactionId: string; signUrl: string; state: AssetState };

/** `transactionHash` is absent of a signature that the relayer has not sent yet. */
export type SubmissionOutcome = RefusalOutcome & { transactionHash?: Hex | undefined };
