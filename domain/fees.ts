/** Gas limit of a call by its estimate: a fifth more, because it may need more when it is mined. */
export const gasLimitFor = (estimate: bigint): bigint => (estimate * 120n) / 100n;

/** Lowest fee at which nodes take a transaction in place of another with its nonce: a tenth more, as geth's default is. */
export const lowestReplacementFee = (fee: bigint): bigint => (fee * 110n + 99n) / 100n;

/** A fee at which stricter nodes take a replacement, too: more than an eighth above, which OpenEthereum asked for. */
export const safeReplacementFee = (fee: bigint): bigint => (fee * 1125n + 999n) / 1000n + 1n;

export const lower = (one: bigint, other: bigint): bigint => (one < other ? one : other);
export const higher = (one: bigint, other: bigint): bigint => (one > other ? one : other);
