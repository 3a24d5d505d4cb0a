import type { Address, Hash, Hex } from "viem";
import type { AssetDetails, AssetId } from "../../../domain/asset/asset.ts";
import type { Registry } from "../../../domain/asset/typed-data.ts";
import type { Hint } from "../../../domain/request/hints.ts";
import type { AssetState, Facts } from "../../../domain/request/state.ts";

/** A request for a new asset. */
export type Creation = { kind: "create"; salt: Hex; details: AssetDetails };

/** A request to add or revoke links. `nth` counts the links of a pair: see `chain.links`. */
export type LinkChange = { kind: "link" | "revoke"; targets: { child: AssetId; nth: number }[] };

export type Change = Creation | LinkChange;

/** A request to store. */
export type NewRequest<Asked extends Change = Change> = {
  id: string;
  tenant: string;
  author: Address;
  /** The asset to create, or the parent of the links. */
  assetId: AssetId;
  registry: Registry;
  calldata: Hex;
  /** Seconds until it expires unsigned. */
  ttl: number;
  change: Asked;
};

/** A request with the facts that its state follows from. */
export type Request = Omit<NewRequest, "ttl"> & {
  /** Nonce of a link change's gasless signature. */
  linkNonce: bigint;
  /** Of a creation: `hashStruct(Asset)` of its content. */
  contentHash: Hex | undefined;
  /** Of a link change: the newest indexed block at its request; only later ones can contain the change. */
  afterBlock: number | undefined;
  createdAt: Date;
  expiresAt: Date;
  /** Deadline of the stored gasless signature, in seconds since 1970. */
  signatureDeadline: number | undefined;
  facts: Facts;
  /** Transaction that made the change or reverted; else the newest one known, reported ones last. */
  transactionHash: Hash | undefined;
  /** Why its pending transactions are delayed. */
  hint: Hint | undefined;
  /** Block of the change or the revert, with its time in seconds since 1970. */
  blockNumber: number | undefined;
  blockTime: number | undefined;
  /** Confirmations of that block, itself included. */
  confirmations: number | undefined;
  settled: boolean;
  /** The newest entry of its history, with its number `ordinal`. */
  noted: { ordinal: number; state: AssetState; reason: string | undefined } | undefined;
  /** When that was stored. */
  updatedAt: Date;
};

/** A request without its texts. A state follows from it. */
export type RequestOutline = Omit<Request, "calldata" | "change">;

/** A request as in a list, with few texts. */
export type ListedRequest = RequestOutline & {
  change: { kind: "create"; details: Pick<AssetDetails, "name"> } | LinkChange;
};

/** The part of a request that decides who may see it. */
export type RequestRef = Pick<Request, "id" | "tenant" | "author">;
