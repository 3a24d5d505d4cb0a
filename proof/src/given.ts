/** A block hash that the verifier trusts; `source` says in words where it comes from, such as "given by hand". */
export type TrustedBlock = { hash: string; number?: number; source: string };

/** What the verifier knows by itself, beside the proof. */
export type Given = {
  /** Digest of the verifier's own file, in hex, with the name of its method. */
  fileHash?: { method: string; digest: string };
  block?: TrustedBlock;
  /** Address of a registry that the verifier trusts, where it is not the registry of this version. */
  registry?: string;
  /** Ids of assets, to each of which the proof must show a link or its absence. */
  children?: string[];
};
