import type { Hex } from "viem";

/**
 * Joins many hashes into one bytea, which costs a fraction of an array of them. In SQL `hashesOf` splits it into rows.
 */
export function joinHashes(hashes: readonly Hex[]): Buffer {
  const joined = Buffer.allocUnsafe(32 * hashes.length);
  for (const [index, hash] of hashes.entries()) joined.write(hash.slice(2), 32 * index, "hex");
  return joined;
}

/** A query for the hashes of a parameter made by `joinHashes`, numbered from 1. */
export const hashesOf = (parameter: `$${number}`): string =>
  `(select substring(${parameter}::bytea from 32 * place - 31 for 32) as hash, place
    from generate_series(1, octet_length(${parameter}::bytea) / 32) place)`;
