/** A wallet as pages reach it (EIP-1193). */
export type Provider = {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
};

/** Asks a wallet; a failure is thrown as a WalletError. */
export type Ask = (method: string, params?: readonly unknown[]) => Promise<unknown>;

export const hexQuantity = (value: number): `0x${string}` => `0x${value.toString(16)}`;

/** A quantity in hex as wallets answer it; some answer numbers. undefined for anything else. */
export function readQuantity(answer: unknown): number | undefined {
  if (typeof answer === "number") return answer;
  if (typeof answer !== "string" || !/^0x[0-9a-f]{1,13}$|^[0-9]{1,15}$/i.test(answer)) return undefined;
  return Number(answer);
}
