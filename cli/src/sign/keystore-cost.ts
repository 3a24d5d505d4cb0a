/** Most work of a key derivation: eight times that of the slowest keystores in use, some seconds. */
const [mostScrypt, mostPbkdf2] = [2 ** 24, 4_000_000];

/**
 * Whether the key derivation of a keystore (Web3 Secret Storage, version 3) takes no longer than some seconds: its
 * parameters come with the file. One that is unreadable costs nothing, and is refused where it is read.
 */
export function isAffordable(keystore: unknown): boolean {
  const crypto = memberOf(keystore, "crypto");
  const parameters = memberOf(crypto, "kdfparams");
  const [n, r, p, c] = ["n", "r", "p", "c"].map((name) => Number(memberOf(parameters, name) ?? 1));
  const work = Number(n) * Number(r) * Number(p);
  return !(work > mostScrypt) && !(Number(c) > mostPbkdf2);
}

/** Programs write the names in small letters or with capitals. */
function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).findLast(([key]) => key.toLowerCase() === name)?.[1];
}
