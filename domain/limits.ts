/** Longest of the short texts of an asset, in Unicode code points. */
const shortText = 256;

/** Every limit of the product, in one place; texts are counted in Unicode code points. */
export const limits = {
  /** Longest texts of an asset, in code points. */
  text: {
    name: shortText,
    data: 65_536,
    fileName: shortText,
    fileType: shortText,
    fileSize: 20,
    method: shortText,
    hash: shortText,
    uri: 2_048,
  },
  /** Longest name and description of a wallet, and description of a submission, in code points. */
  note: 256,
  /** Most targets in one link or revoke request. */
  targets: 100,
  /** Most open link changes of one tenant for one asset. */
  openLinkRequests: 100,
  /** Largest request body, in bytes after decompression. */
  bodyBytes: 256 * 1024,
  /** Largest request line and headers together, in bytes; room for the longest identity token. */
  headerBytes: 32 * 1024,
  /** Largest call of a transaction, in bytes: with its signature it fits into a body, and every node relays it. */
  calldataBytes: 120 * 1024,
  /** Largest signed transaction, in bytes. */
  signedTransactionBytes: 128 * 1024,
  /** Largest signature, in bytes; contract wallets sign with more than 65. */
  signatureBytes: 4_096,
  /** Longest identity token, in characters. */
  identityTokenLength: 16_384,
  /** Longest Idempotency-Key, in characters, and how many hours its answer is kept. */
  idempotencyKeyLength: 255,
  idempotencyKeyHours: 24,
  /** Entries of a page, and how many entries deep page numbers reach; cursors reach all. */
  page: { default: 50, max: 200, deepest: 10_000 },
  /**
   * Bytes of one answer about several assets or transactions, and of what the database reads for it. A page ends
   * before it gets larger, and has one entry at least.
   */
  answerBytes: 1024 * 1024,
  /** Most gasless signatures of one tenant that wait for the relayer. */
  waitingRelays: 1_000,
  /** Most links in each direction of an answer without paging. */
  links: 1_000,
  /** Most links of an asset in one proof. */
  proofLinks: 50,
  /** Most transaction hashes that are kept of those reported for a request, and for how many hours: the newest. */
  reportedHashes: 8,
  reportedHashHours: 24,
  /** Most transactions in one request for states. */
  statuses: 100,
  /** Most entries of a history: the newest. */
  history: 100,
  /** Seconds until a wallet initialisation expires. */
  walletInitialisationSeconds: 600,
  /** Most initialisations that one user may have open, and most wallets. */
  openInitialisations: 100,
  wallets: 100,
  /** Most webhooks of one tenant, and the longest URL of one, in characters. */
  webhooks: 50,
  webhookUrl: 2_048,
  /** Deliveries that wait for a webhook, from which on none is added that a tenant asks for by itself. */
  waitingDeliveries: 10_000,
  /** Hours for which the secret before a rotation signs too. */
  secretOverlapHours: 24,
  /** Deepest reorg in blocks that is handled without an operator. */
  reorgDepth: 128,
} as const;

/** Most bytes that a code point has in UTF-8. */
const codePointBytes = 4;

/**
 * Longest texts that the registry takes, in bytes: whatever the API lets through, in any script. The constants in
 * contracts/AssetRegistry.sol say the same, of `fileSize` as of each other short text.
 */
export const registryTextBytes: Record<keyof typeof limits.text, number> = {
  name: codePointBytes * limits.text.name,
  data: codePointBytes * limits.text.data,
  fileName: codePointBytes * limits.text.fileName,
  fileType: codePointBytes * limits.text.fileType,
  fileSize: codePointBytes * shortText,
  method: codePointBytes * limits.text.method,
  hash: codePointBytes * limits.text.hash,
  uri: codePointBytes * limits.text.uri,
};
