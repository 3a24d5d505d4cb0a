import { add, again, end, get, integer, less, moduleOf, repeat, set, simd, v128 } from "./wasm-code.ts";

/** Code that reads hex for WebAssembly. */

/** Digits that are read at a time. */
export const stride = 32;
const half = stride / 2;

const [subtract, plus, below] = [simd(0x71), simd(0x6e), simd(0x26)];
const [both, either, choose] = [simd(0x4e), simd(0x50), simd(0x52)];
const [shiftLeft, shiftRight, narrow, allTrue] = [simd(0x8b), simd(0x8d), simd(0x66), simd(0x63)];
const sixteen = (byte: number) => [...integer(byte), ...simd(0x0f)];
const load = (at: number) => [...simd(0x00), 0, at];
const store = [...simd(0x0b), 0, 0];

const [from, until, to] = [0, 1, 2];
const [digit, letter, isDigit, good, first] = [3, 4, 5, 6, 7];

/**
 * Reads sixteen digits into as many bytes, of which every second one counts. A digit is less than 10 above "0",
 * a letter less than 6 above "a" once its fifth bit makes it small; `good` keeps whether each was one of them.
 */
const readHalf = (at: number) => [
  ...[...get(from), ...load(at), ...sixteen(0x30), ...subtract, ...set(digit)],
  ...[...get(from), ...load(at), ...sixteen(0x20), ...either, ...sixteen(0x61), ...subtract, ...set(letter)],
  ...[...get(digit), ...sixteen(10), ...below, ...set(isDigit)],
  ...[
    ...get(letter),
    ...sixteen(6),
    ...below,
    ...get(isDigit),
    ...either,
    ...get(good),
    ...both,
    ...set(good),
  ],
  ...[...get(digit), ...get(letter), ...sixteen(10), ...plus, ...get(isDigit), ...choose, ...set(digit)],
  // The digit that counts sixteenfold comes first, which is the lower byte.
  ...[...get(digit), ...integer(12), ...shiftLeft, ...integer(8), ...shiftRight],
  ...[...get(digit), ...integer(8), ...shiftRight, ...either],
];

const readHex = [
  ...[...sixteen(-1), ...set(good)],
  ...repeat,
  ...[...readHalf(0), ...set(first)],
  ...[...get(to), ...get(first), ...readHalf(half), ...narrow, ...store],
  ...[...get(to), ...integer(half), ...add, ...set(to)],
  ...[...get(from), ...integer(stride), ...add, ...set(from)],
  ...[...get(from), ...get(until), ...less, ...again],
  ...end,
  ...[...get(good), ...allTrue],
];

/**
 * A module that exports `memory` and `readHex(from, until, to)`, all places in it: reads digits, `stride` at a
 * time, and answers whether all were some. One page, of which everything is the caller's.
 */
export const hexModule = (): Uint8Array<ArrayBuffer> =>
  moduleOf({ name: "readHex", parameters: 3, results: 1, locals: [[5, v128]], code: readHex }, []);
