import { type HashVerdict, readStoredHash } from "asset-registry-proof";
import type { Digests } from "../../../file/digests.ts";
import type { Tone } from "../../../parts/tone.ts";
import { texts } from "../../../texts/texts.ts";
import type { Checked } from "./check-proof.ts";

/** What a proof was compared with. */
export type Subject = "file" | "hash" | "nothing";

/** A verdict in words: its tone, one sentence, and what it means. */
export type Verdict = { tone: Tone; title: string; meaning: string };

const words = texts.verify.verdicts;

/** Whether a proof is of another registry than the service's, and of another asset than the service tells of. */
type Place = { isElsewhere: boolean; isContradicted: boolean };

/** The verdict on a proof. Only what speaks against it is bad: what is merely unknown never is. */
export function proofVerdict(
  { result }: Checked,
  subject: Subject,
  { isElsewhere, isContradicted }: Place = { isElsewhere: false, isContradicted: false },
): Verdict {
  const { verdict, checks } = result;
  if (isContradicted) return { tone: "bad", ...words.contradicted };
  const of = (name: string) => checks.find((check) => check.name === name);
  if (verdict === "invalid") {
    const isOther = of("content")?.outcome === "invalid";
    return { tone: "bad", ...(isOther ? words.another[subject] : words.forged) };
  }
  if (verdict === "valid" && isElsewhere) return { tone: "warn", ...words.validElsewhere[subject] };
  if (verdict === "valid") return { tone: "good", ...words.valid[subject] };
  const open = checks.filter(({ outcome, code }) => outcome === "cannot check" && !isNotAsked(code, subject));
  if (open.some(({ code }) => code === "unreadable-document")) return { tone: "warn", ...words.unreadable };
  if (open.some(({ name }) => name === "content")) return { tone: "warn", ...words.incomparable };
  if (open.every(({ name }) => name === "block")) return { tone: "plain", ...words.blockOpen[subject] };
  return { tone: "warn", ...words.open };
}

/** Whether a check did not count, since nobody asked for it. */
export const isNotAsked = (code: string, subject: Subject): boolean =>
  code === "no-links" || (code === "no-file" && subject === "nothing");

/** The verdict on an asset without a proof, since it is not final yet or the service gives none. */
export function contentVerdict(
  content: HashVerdict | undefined,
  isFinal: boolean,
  subject: Subject,
): Verdict {
  if (content === "mismatch") return { tone: "bad", ...words.another[subject] };
  if (content === "match") {
    return isFinal
      ? { tone: "warn", ...words.unproven[subject] }
      : { tone: "plain", ...words.notFinal[subject] };
  }
  if (content === undefined) return { tone: "plain", ...(isFinal ? words.noProof : words.notFinal.nothing) };
  return { tone: "warn", ...words.incomparable };
}

/** Compares the digests of a file, or one that was given, with what an asset names. */
export function compareContent(asset: { method: string; hash: string }, digests: Digests): HashVerdict {
  const stored = readStoredHash(asset);
  if (typeof stored === "string") return stored;
  const own = digests.get(stored.method);
  if (own === undefined) return "unknown-method";
  return own === stored.digits ? "match" : "mismatch";
}
