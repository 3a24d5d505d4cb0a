import { type HashMethod, hashMethods, type Proof, readStoredHash } from "asset-registry-proof";

/** Methods by which files are usually registered; each costs a pass of the processor over the whole file. */
const usualMethods: readonly HashMethod[] = ["sha256", "sha512", "sha3-256", "keccak256", "sha1", "md5"];

/** Bytes up to which every usual method is taken; a larger file is hashed by the most usual one first. */
const mostBytesForAll = 256 * 1024 * 1024;

/** Methods by which a file is looked for at first. */
export const firstMethods = ({ size }: { size: number }): readonly HashMethod[] =>
  size <= mostBytesForAll ? usualMethods : usualMethods.slice(0, 1);

export const everyMethod: readonly HashMethod[] = hashMethods;

/** The method by which a file is compared with an asset; none where the asset names no hash that can be read. */
export function methodsOf(asset: Pick<Proof["asset"], "method" | "hash">): readonly HashMethod[] {
  const stored = readStoredHash(asset);
  return typeof stored === "string" ? [] : [stored.method];
}
