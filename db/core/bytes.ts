import { type Address, getAddress, type Hex } from "viem";

/** A bytea column is a Buffer in node-postgres; the rest of the product speaks 0x hex. */
export function toBytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}

export function fromBytes(bytes: Uint8Array): Hex {
  const { buffer, byteOffset, byteLength } = bytes;
  return `0x${Buffer.from(buffer, byteOffset, byteLength).toString("hex")}`;
}

export function addressFromBytes(bytes: Uint8Array): Address {
  return getAddress(fromBytes(bytes));
}

/** Addresses with their checksums, a hash each; few authors are behind most of what is read. */
const checksummed = new Map<string, Address>();
const mostChecksummed = 10_000;

/** Of 40 lower-case hex digits. */
export function addressFromDigits(digits: string): Address {
  const known = checksummed.get(digits);
  if (known !== undefined) return known;
  const address = getAddress(`0x${digits}`);
  if (checksummed.size >= mostChecksummed) checksummed.clear();
  checksummed.set(digits, address);
  return address;
}

/**
 * Many hashes as one value, which costs a fraction of an array of them: nothing turns them into text and back.
 * In SQL `hashesOf` makes rows of it.
 */
export function joinHashes(hashes: readonly Hex[]): Buffer {
  const joined = Buffer.allocUnsafe(32 * hashes.length);
  for (const [index, hash] of hashes.entries()) writeHex(joined, 32 * index, hash);
  return joined;
}

/** A query for the hashes of a parameter that `joinHashes` made, with their place from 1 on. */
export const hashesOf = (parameter: `$${number}`): string =>
  `(select substring(${parameter}::bytea from 32 * place - 31 for 32) as hash, place
    from generate_series(1, octet_length(${parameter}::bytea) / 32) place)`;

const digitOf = new Uint8Array(128);
for (const [digit, character] of [..."0123456789abcdef"].entries()) {
  digitOf[character.charCodeAt(0)] = digit;
  digitOf[character.toUpperCase().charCodeAt(0)] = digit;
}

/**
 * Writes into `target` the bytes of the hex digits, of either case, from `start` to `end` of `source`.
 * @returns whether all were digits, two for each byte
 */
export function decodeHex(
  source: Buffer,
  [start, end]: readonly [start: number, end: number],
  target: Buffer,
  at: number,
): boolean {
  const digits = end - start;
  return digits % 2 === 0 && target.write(source.toString("latin1", start, end), at, "hex") === digits / 2;
}

/** Whether a number of bytes, few enough that a loop is faster than a call out of JavaScript, is the same. */
export function sameBytes(one: Uint8Array, at: number, other: Uint8Array, size: number): boolean {
  for (let index = 0; index < size; index += 1) if (one[at + index] !== other[index]) return false;
  return true;
}

/** Writes the bytes of a hash or an address into `target`; far faster there than a call out of JavaScript. */
export function writeHex(target: Uint8Array, at: number, hex: Hex): void {
  writeDigits(target, at, hex, 2, (hex.length - 2) >> 1);
}

/** Writes so many bytes from the hex digits that a text has from `start` on. */
export function writeDigits(target: Uint8Array, at: number, text: string, start: number, size: number): void {
  for (let place = at, digit = start; place < at + size; place += 1, digit += 2) {
    const high = digitOf[text.charCodeAt(digit)] ?? 0;
    target[place] = (high << 4) | (digitOf[text.charCodeAt(digit + 1)] ?? 0);
  }
}
