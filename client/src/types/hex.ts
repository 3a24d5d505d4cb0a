/** Bytes or a quantity as `0x` and hex digits; ids, hashes and addresses are of this form. */
export type Hex = `0x${string}`;
