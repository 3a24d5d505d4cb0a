import type { HashMethod } from "asset-registry-proof";

/** Digests of one file in lower-case hex, by method. */
export type Digests = ReadonlyMap<HashMethod, string>;
