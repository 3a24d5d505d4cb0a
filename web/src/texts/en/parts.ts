import type { AssetState } from "asset-registry-client";

export const parts = {
  loading: "Loading …",
  copy: "Copy",
  copied: "Copied",
  showAll: "Show all",
  showLess: "Show less",
  empty: "none",
  hiddenCharacter: (code: string) => `invisible character ${code}`,
  cut: (shown: number, all: number) => `Shows ${shown} of ${all} characters.`,
  apiKey: {
    label: "API key",
    hint: "Of the integrator whose requests these are. It stays in the memory of this tab, and is forgotten when you close or reload it.",
    use: "Use this key",
    unreadable: "This is no key: a key has visible characters without spaces. Copy it again.",
    held: "This tab holds an API key.",
    forget: "Forget it",
  },
  states: {
    Received: "Waiting for the author's signature",
    TxSignatureSubmitted: "Signed, on the way to the chain",
    Submitted: "Sent to the chain",
    Committed: "In a block, not yet final",
    Confirmed: "Confirmed",
    RevokedByTxServer: "Stopped by the service",
    RevokedByUser: "Refused by the author",
    RevokedByBlockchain: "Rejected by the chain",
  } satisfies Record<AssetState, string>,
  transactionHash: "transaction hash",
  inExplorer: "Show in the block explorer",
  timeline: {
    states: {
      Received: "Asked of the author",
      TxSignatureSubmitted: "Signed by the author",
      Submitted: "Sent to the chain",
      Committed: "In a block",
      Confirmed: "Final",
      RevokedByTxServer: "Stopped by the service",
      RevokedByUser: "Refused by the author",
      RevokedByBlockchain: "Rejected by the chain",
    } satisfies Record<AssetState, string>,
    ahead: "still to come",
    undone:
      "A reorganisation of the chain took back what stood before. It is watched until it is in a block again.",
    block: (number: number) => `block ${number}`,
  },
};
