import type { CheckCode, Outcome } from "./codes.ts";

/** Names of the checks, in the order of a result. */
export const checkNames = ["content", "id", "author", "time", "inclusion", "links", "block"] as const;

export type CheckName = (typeof checkNames)[number];

/** One check of a result; `code` is stable for programs, `reason` is a sentence for people. */
export type Check = { name: CheckName; outcome: Outcome; code: CheckCode; reason: string };

/** What a link's slot says; times are Unix seconds. A link that was added again shows its last addition alone. */
export type ProvenLink =
  | { child: string; state: "standing"; addedOn: number }
  | { child: string; state: "revoked"; addedOn: number; revokedOn: number }
  | { child: string; state: "never added" };

/** What the proof shows of its asset; `createdOn` in Unix seconds. */
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
  /** `invalid` where any check is; `valid` where all that count are; else `cannot check`. */
  verdict: Outcome;
  /** The verdict in a few sentences for people. */
  words: string;
  /** Every check, in the order of `checkNames`. */
  checks: Check[];
  /** Facts, as certain as the block's hash is; missing where the proof does not show them. */
  asset?: ProvenAsset;
  block?: ProvenBlock;
  links?: ProvenLink[];
};

/** An outcome of a check that stands under its name later. */
export type Finding = Omit<Check, "name">;

export const valid = (code: CheckCode<"valid">, reason: string): Finding => ({
  outcome: "valid",
  code,
  reason,
});

export const invalid = (code: CheckCode<"invalid">, reason: string): Finding => ({
  outcome: "invalid",
  code,
  reason,
});

export const unchecked = (code: CheckCode<"cannot check">, reason: string): Finding => ({
  outcome: "cannot check",
  code,
  reason,
});
