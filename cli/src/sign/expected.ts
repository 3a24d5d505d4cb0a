import type { Transaction } from "asset-registry-client";
import { printable } from "../output/printable.ts";
import { Problem } from "../problem.ts";
import { type Change, calldataOf } from "./change.ts";

/** What a transaction must be for: this side's own knowledge. */
export type Expected = { change: Change; assetId: string; signer: string; chainId: number; registry: string };

/** The parts of a transaction that is open. */
export type OpenTransaction = Transaction & { to: string; nextNonce: number; gas: string };

/**
 * Holds the transaction that the service generated against what the user asked for: it must be exactly that call.
 * @throws Problem where it is anything else, or nothing to sign
 */
export function requireExpected(
  transaction: Transaction,
  expected: Expected,
): asserts transaction is OpenTransaction {
  const { to, data, value, gas, nextNonce, state, warning } = transaction;
  if (to === null || data === null || nextNonce === null) {
    throw new Problem("nothing-to-sign", `There is nothing to sign: the request is ${shown(state)}.`);
  }
  const { change, assetId, signer, chainId, registry } = expected;
  const differences = [
    differs("the chain", transaction.chainId, chainId),
    differs("the signer", lower(transaction.signer), lower(signer)),
    differs("the contract", lower(to), lower(registry)),
    differs("the asset", lower(transaction.assetId), lower(assetId)),
    differs("the kind of change", transaction.kind, change.kind),
    value !== null && /^0x0*$/.test(value) ? undefined : "it sends the chain's currency",
    lower(data) === lower(calldataOf(change))
      ? undefined
      : "its bytes are another call than the one asked for",
  ].filter((difference) => difference !== undefined);
  if (differences.length > 0) {
    const text = `The service asks to sign something else than what you asked for: ${differences.join("; ")}`;
    throw new Problem("not-as-asked", `${text}. Nothing was signed.`);
  }
  if (!Number.isSafeInteger(nextNonce) || nextNonce < 0) {
    throw new Problem("service-malformed", "The service proposes a nonce that is none. Nothing was signed.");
  }
  if (gas === null)
    throw new Problem("would-fail", `It would fail on the chain: ${shown(warning ?? "no reason is given")}`);
}

/** Most characters of what the service tells that a message repeats. */
const mostShown = 200;

/** What the service tells may be of any type and length. */
const shown = (told: unknown): string => printable(String(told).slice(0, mostShown));
const lower = (told: unknown): string => String(told).toLowerCase();

const differs = (what: string, said: string | number, expected: string | number): string | undefined =>
  said === expected ? undefined : `${what} is ${shown(said)}, not ${expected}`;
