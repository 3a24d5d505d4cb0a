import { setTimeout as sleep } from "node:timers/promises";
import { type Hex, keccak256, numberToHex, toHex } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import type { AssetDetails } from "../../domain/asset/asset.ts";
import type { Anvil } from "../../test/support/chain/anvil.ts";
import type { ToSign } from "../../test/support/sign.ts";

/** Sends one call of a registration, and answers its value. @throws when the answer is not 2xx */
export type Call = <Value>(
  step: "create" | "read" | "submit",
  method: string,
  path: string,
  body?: object,
) => Promise<{ value: Value }>;

/**
 * Registers an asset as its author does: requests it, reads what to sign, signs and hands in.
 * @param requested called with the asset's id before it is signed
 */
export async function register(
  call: Call,
  author: PrivateKeyAccount,
  details: AssetDetails,
  requested: (id: Hex) => void,
): Promise<void> {
  const body = { ...details, author: author.address };
  const made = await call<{ id: Hex; transactionId: string }>("create", "POST", "/assets/", body);
  const { id, transactionId } = made.value;
  requested(id);
  const path = `/transactions/${transactionId}`;
  const { value } = await call<ToSign & { nextNonce: number }>("read", "GET", path);
  const signedTransaction = await author.signTransaction({
    type: "eip1559",
    chainId: value.chainId,
    to: value.to,
    data: value.data,
    nonce: value.nextNonce,
    gas: BigInt(value.gas ?? 300_000),
    maxFeePerGas: BigInt(value.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(value.maxPriorityFeePerGas),
  });
  await call("submit", "POST", `${path}/submit`, { signedTransaction });
}

/** Runs `work` at a steady rate, however long it takes, one at a time for each author. @throws the first failure */
export async function atRate(
  { rate, seconds }: { rate: number; seconds: number },
  authors: readonly PrivateKeyAccount[],
  work: (author: PrivateKeyAccount, nth: number) => Promise<void>,
): Promise<void> {
  const begin = performance.now();
  const working: Promise<void>[] = [];
  const underWay = new Map<PrivateKeyAccount, Promise<void>>();
  for (let nth = 0; nth < Math.round(rate * seconds); nth += 1) {
    await sleep(Math.max(0, begin + (nth * 1000) / rate - performance.now()));
    const author = authors[nth % authors.length] as PrivateKeyAccount;
    // Two that are read before either is handed in would have the same nonce.
    const one = (underWay.get(author) ?? Promise.resolve()).then(() => work(author, nth));
    underWay.set(author, one);
    one.catch(() => undefined);
    working.push(one);
  }
  await Promise.all(working);
}

/** Accounts of this run, each with enough of the chain's currency. */
export async function fundAuthors(anvil: Anvil, count: number): Promise<PrivateKeyAccount[]> {
  const authors = Array.from({ length: count }, (_, index) =>
    privateKeyToAccount(keccak256(toHex(`author ${index}`))),
  );
  for (const { address } of authors) await anvil.rpc("anvil_setBalance", [address, numberToHex(10n ** 20n)]);
  return authors;
}
