import { formatGwei } from "viem";
import type { Kind } from "./asked.ts";

/** Limits on what an unattended key signs. */
export type Rules = {
  allow: ReadonlySet<Kind>;
  /** The most for a unit of gas, in wei. */
  maxFee: bigint;
  maxPerHour: number;
};

/** Why a request is skipped: `key` names the reason, which is reported once, `text` is the message. */
export type Leave = { key: string; text: string };

const HOUR = 3_600_000;

/**
 * Applies the rules and counts what was signed. A request counts once, however often it is signed: the registry
 * executes it once.
 */
export function createRulebook(rules: Rules, now: () => number = Date.now) {
  const signedAt = new Map<string, number>();

  /** Whether the hour has no room for one more request than were signed. */
  function isFull(id: string): boolean {
    for (const [signed, at] of signedAt) if (at <= now() - HOUR) signedAt.delete(signed);
    return !signedAt.has(id) && signedAt.size >= rules.maxPerHour;
  }

  return {
    isFull,
    /** @returns undefined where it may be signed now */
    objection(id: string, kind: string, feePerGas: bigint): Leave | undefined {
      if (!rules.allow.has(kind as Kind)) {
        return { key: "kind", text: `${kind} is not among --allow ${[...rules.allow].join(",")}` };
      }
      if (feePerGas > rules.maxFee) {
        const text = `the fee of ${formatGwei(feePerGas)} gwei is over --max-fee ${formatGwei(rules.maxFee)}`;
        return { key: "fee", text: `${text}; it is looked at again` };
      }
      if (!isFull(id)) return undefined;
      return { key: "hour", text: `--max-per-hour ${rules.maxPerHour} is reached; it is looked at again` };
    },
    recordSigned(id: string): void {
      signedAt.set(id, now());
    },
  };
}
