import type { HashMethod } from "asset-registry-proof";

/** The method by which files are registered unless somebody says otherwise. */
export const usualMethod: HashMethod = "sha256";
