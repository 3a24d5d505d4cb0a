/** Outcome of a check. Only `invalid` speaks against the proof: `cannot check` is no sign of a forgery. */
export type Outcome = "valid" | "invalid" | "cannot check";

/** Names of the checks, in the order of a result. */
export const checkNames = ["content", "id", "author", "time", "inclusion", "links", "block"] as const;

export type CheckName = (typeof checkNames)[number];

/** One check of a result; `code` is stable for programs, `reason` is a sentence for people. */
export type Check = { name: CheckName; outcome: Outcome; code: string; reason: string };

/** What a link's slot says; times are Unix seconds. A link that was added again shows its last addition alone. */
export type ProvenLink =
  | { child: string; state: "standing"; addedOn: number }
  | { child: string; state: "revoked"; addedOn: number; revokedOn: number }
  | { child: string; state: "never added" };

/** Facts that the proof shows of its block; times are Unix seconds. */
export type ProvenAsset = {
  id: string;
  author: string;
  chainId: number;
  registry: string;
  createdOn: number;
};

/** Block whose state was proven, and who said that its hash is the chain's; no source where nobody did. */
export type ProvenBlock = { number: number; hash: string; timestamp: number; source: string | undefined };

export type Result = {
  /** `invalid` where any check is; `valid` where all that were asked for are; else `cannot check`. */
  verdict: Outcome;
  /** The verdict in a sentence or two for people. */
  words: string;
  /** Every check, in the order of `checkNames`. */
  checks: Check[];
  /** Facts beyond doubt if the block's hash is right; missing where the proof does not show them. */
  asset?: ProvenAsset;
  block?: ProvenBlock;
  links?: ProvenLink[];
};
