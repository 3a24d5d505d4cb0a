import type { Hex } from "./hex.ts";
import type { AssetState } from "./state.ts";

/** A change of an asset's links that was asked for, the transaction to sign, and the console's page to sign it on. */
export type LinkChange = { id: Hex; state: AssetState; transactionId: string; signUrl: string };

/** Assets that point to this one, and assets that this one points to. */
export type LinkSet = { from: Hex[]; to: Hex[] };
