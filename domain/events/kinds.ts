import { type AssetState, assetStates } from "../request/state.ts";

/** Kinds of events about a request: one for each state that it reached. Its tenant and its author are told. */
export const requestKinds = assetStates.map((state): `request.${AssetState}` => `request.${state}`);

/** Kinds of events about the chain, told to everybody who asks for them. */
export const chainKinds = [
  "asset.registered",
  "asset.final",
  "asset.rolled_back",
  "link.added",
  "link.revoked",
  "link.rolled_back",
  "link.revocation_rolled_back",
] as const;

/** Kinds of events about the wallets of a user, told to that user. */
export const walletKinds = ["wallet.connected", "wallet.removed"] as const;

export const eventKinds = [...requestKinds, ...chainKinds, ...walletKinds];

export type ChainKind = (typeof chainKinds)[number];
export type EventKind = (typeof eventKinds)[number];

/** The meaning of each kind, for the documentation and the OpenAPI document. */
export const kindMeanings: Readonly<Record<EventKind, string>> = {
  "request.Received": "a request was stored",
  "request.TxSignatureSubmitted": "the author's signature or signed transaction is stored",
  "request.Submitted": "a node has accepted the transaction",
  "request.Committed": "the change is in a block",
  "request.Confirmed": "that block is final",
  "request.RevokedByTxServer": "the service stopped; `reason` says why",
  "request.RevokedByUser": "the author refused, or used the nonce for another transaction",
  "request.RevokedByBlockchain": "the transaction reverted; `reason` says why",
  "asset.registered": "an asset was registered in this block, by this service or without it",
  "asset.final": "the block of an asset became final",
  "asset.rolled_back": "a reorg removed the block of an asset",
  "link.added": "a link was added in this block",
  "link.revoked": "a link was revoked in this block",
  "link.rolled_back": "a reorg removed the block in which a link was added",
  "link.revocation_rolled_back": "a reorg removed the block in which a link was revoked",
  "wallet.connected": "the user connected a wallet",
  "wallet.removed": "the user removed a wallet",
};
