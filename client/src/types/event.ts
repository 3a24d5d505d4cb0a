import type { Hex } from "./hex.ts";
import type { AssetState } from "./state.ts";
import type { Wallet } from "./wallet.ts";

/** Kinds of events about a request: one for each state that it reached. */
export type RequestEventKind = `request.${AssetState}`;
/** Kinds of events about an asset of the chain. */
export type AssetEventKind = "asset.registered" | "asset.final" | "asset.rolled_back";
/** Kinds of events about a link of the chain. */
export type LinkEventKind =
  | "link.added"
  | "link.revoked"
  | "link.rolled_back"
  | "link.revocation_rolled_back";
/** Kinds of events about a wallet of a user. */
export type WalletEventKind = "wallet.connected" | "wallet.removed";
export type EventKind = RequestEventKind | AssetEventKind | LinkEventKind | WalletEventKind;

/** In a filter: all kinds of a group. */
export type EventGroup = "request" | "asset" | "link" | "wallet";

type EventOf<Kind extends EventKind, Data> = {
  /** Stays the same where an event is told again. */
  id: string;
  /** Position in the log: store it once the event is dealt with, and go on after it. */
  sequence: number;
  kind: Kind;
  /** ISO 8601 with +00:00. */
  time: string;
  /** Of the request; as secret as a link to sign. */
  transactionId?: string | undefined;
  assetId?: Hex | undefined;
  /** The child of a link. */
  targetAssetId?: Hex | undefined;
  /** Of the asset or the request; of a wallet, its address. */
  author?: Hex | undefined;
  walletId?: string | undefined;
  transactionHash?: Hex | undefined;
  /** The block that holds the change. */
  block?: { number: number; hash?: Hex | undefined; time?: string | undefined } | undefined;
  data: Data;
};

/** A request reached a state. */
export type RequestEvent = EventOf<
  RequestEventKind,
  {
    id: string;
    kind: "create" | "link" | "revoke";
    assetId: Hex;
    targetAssetIds?: Hex[] | undefined;
    state: AssetState;
    reason?: string | undefined;
    transactionHash?: Hex | undefined;
    blockNumber?: number | undefined;
  }
>;

/** An asset was registered, became final, or was removed by a reorg. */
export type AssetEvent = EventOf<
  AssetEventKind,
  {
    id: Hex;
    author: Hex;
    name: string;
    fileName: string;
    method: string;
    hash: string;
    transactionHash: Hex;
    blockNumber: number;
  }
>;

/** A link was added or revoked, or a reorg removed that. */
export type LinkEvent = EventOf<
  LinkEventKind,
  { from: Hex; to: Hex; author: Hex; transactionHash: Hex; blockNumber: number }
>;

/** A user connected or removed a wallet. */
export type WalletEvent = EventOf<WalletEventKind, Wallet>;

/** Something that happened; its kind tells the others apart, and a later service may have more kinds. */
export type RegistryEvent = RequestEvent | AssetEvent | LinkEvent | WalletEvent;
