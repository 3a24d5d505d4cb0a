import type { Transaction } from "asset-registry-client";

type Priced = Pick<Transaction, "gas" | "gasPrice" | "maxFeePerGas">;

/** What a transaction costs its sender at the chain's present price, and at most, in the chain's smallest unit. */
export function costOf({ gas, gasPrice, maxFeePerGas }: Priced): { usual: bigint; most: bigint } | undefined {
  if (gas === null || gasPrice === null) return undefined;
  const usual = BigInt(gas) * BigInt(gasPrice);
  const most = BigInt(gas) * BigInt(maxFeePerGas ?? gasPrice);
  return { usual, most: most > usual ? most : usual };
}

/** Digits of an amount that are told. */
const DIGITS = 2;

/** An amount in whole units, rounded up to two digits that count: `0.00021`. */
export function formatAmount(amount: bigint, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, "0");
  const [whole, fraction] = [digits.slice(0, -decimals), digits.slice(-decimals)];
  const first = whole === "0" ? fraction.search(/[1-9]/) : 0;
  if (first < 0) return whole;
  const kept = 10n ** BigInt(Math.max(0, decimals - first - DIGITS));
  const rounded = String(((amount + kept - 1n) / kept) * kept).padStart(decimals + 1, "0");
  const rest = rounded.slice(-decimals).replace(/(?<!0)0+$/, "");
  return rest === "" ? rounded.slice(0, -decimals) : `${rounded.slice(0, -decimals)}.${rest}`;
}
