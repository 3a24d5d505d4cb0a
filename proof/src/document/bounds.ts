/** Bounds of a document, all of which hold before anything is computed from it. */
export const bounds = {
  /** Bytes of the document in UTF-8. */
  documentBytes: 4 * 1024 * 1024,
  /** Values within values, and values in all. */
  depth: 8,
  values: 50_000,
  /** Nodes of one proof: a key has 64 nibbles, and each node uses up one at least. */
  nodes: 64,
  /** Bytes of a node: a branch with 16 references has 532. */
  nodeBytes: 1_024,
  /** Bytes of a header: that of Ethereum has about 600, and some chains keep their validators or more in it. */
  headerBytes: 16_384,
  links: 256,
} as const;
