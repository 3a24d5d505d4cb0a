import type { Hex } from "./hex.ts";

export type Wallet = { id: string; name: string; description: string; ethereumAddress: Hex };

export type WalletLabels = { name?: string | undefined; description?: string | undefined };

/** A wallet that its owner has yet to confirm by a signature. */
export type WalletInitialisation = {
  /** Id that the wallet will have. */
  id: string;
  token: string;
  technology: "ETH";
  /** ISO 8601 with +00:00. */
  expiration: string;
  /** EIP-712 typed data to sign, as JSON. */
  serializedValue: string;
  userId: string;
};

/** The address to connect, and its signature over `serializedValue`. */
export type WalletConfirmation = { ethereumAddress: string; signature: string };
