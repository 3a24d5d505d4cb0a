import type { Outcome } from "./codes.ts";
import type { Check, CheckName } from "./result.ts";

/** The outcome of all checks together; `counting` names those that were asked for. */
export function verdictOf(checks: readonly Check[], counting: readonly CheckName[]): Outcome {
  if (checks.some(({ outcome }) => outcome === "invalid")) return "invalid";
  const allHold = checks.every(({ name, outcome }) => outcome === "valid" || !counting.includes(name));
  return allHold ? "valid" : "cannot check";
}

/** A verdict in a few sentences. */
export function inWords(verdict: Outcome, checks: readonly Check[], counting: readonly CheckName[]): string {
  const reasons = (outcome: Outcome, names: readonly CheckName[]) =>
    checks
      .filter((check) => check.outcome === outcome && names.includes(check.name))
      .map(({ reason }) => reason);
  switch (verdict) {
    case "valid": {
      const shown = (["content", "author", "time", "links", "block"] as const).filter((name) =>
        counting.includes(name),
      );
      const file = counting.includes("content") ? [] : ["No file was compared with it."];
      return ["The proof is valid.", ...reasons("valid", shown), ...file].join(" ");
    }
    case "invalid":
      return ["The proof is not valid.", ...reasons("invalid", counting)].join(" ");
    case "cannot check": {
      const open = [...new Set(reasons("cannot check", counting))];
      return ["Nothing speaks against the proof, but not all of it could be checked.", ...open].join(" ");
    }
  }
}
