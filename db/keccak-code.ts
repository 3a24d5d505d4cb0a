/**
 * Code of Keccak-256 for WebAssembly, made here rather than by a compiler, because it has to do what no package
 * does: hash two messages at once, one in each half of the machine's 128-bit registers. That takes hardly longer
 * than one. Source: FIPS 202, with Keccak's own padding, which Ethereum uses.
 */

import {
  add,
  again,
  and,
  end,
  get,
  i32,
  integer,
  less,
  moduleOf,
  notBelow,
  or,
  otherwise,
  repeat,
  set,
  simd,
  unsigned,
  v128,
  when,
} from "./wasm-code.ts";

/** Bytes of a message that one round of permutations takes up. */
const rate = 136;
const rounds = 24;

/**
 * Where the module keeps its constants, which its memory begins with, and the padded ends of two messages; memory
 * from `freeMemory` on is free.
 */
const constants = 0;
const ends = [256, 512] as const;
export const freeMemory = 1024;

const storeByte = (at: number) => [0x3a, 0, ...unsigned(at)];
const loadByte = (at: number) => [0x2d, 0, ...unsigned(at)];
const fillMemory = [0xfc, 0x0b, 0x00];
const copyMemory = [0xfc, 0x0a, 0x00, 0x00];
const loadFirst = (at: number) => [...simd(0x5d), 0, ...unsigned(at)];
const loadSecond = (at: number) => [...simd(0x57), 0, ...unsigned(at), 1];
const loadBoth = (at: number) => [...simd(0x0a), 0, ...unsigned(at)];
const storeLane = (at: number, lane: number) => [...simd(0x5b), 0, ...unsigned(at), lane];
const [xor, butNot, either] = [simd(0x51), simd(0x4f), simd(0x50)];
const [shiftLeft, shiftRight] = [simd(0xcb), simd(0xcd)];

/** Parameters and variables: of each message its place, what is left of it, and where its digest goes. */
const message = [0, 1];
const left = [2, 3];
const digest = [4, 5];
const block = [6, 7];
const round = 8;
const A = (place: number) => 9 + place;
const B = (place: number) => 34 + place;
const C = (x: number) => 59 + x;
const D = (x: number) => 64 + x;
const parameters = 6;
const locals = [
  [3, i32],
  [60, v128],
] as const;

const each = (count: number, make: (index: number) => number[]) =>
  Array.from({ length: count }, (_, index) => make(index)).flat();

/** `left` of a message of which all has been taken up, and of one whose digest has been written. */
const [takenUp, done] = [-1, -2];

/** The next block of a message: a part of it, or its end with the padding. */
function nextBlock(lane: 0 | 1): number[] {
  const [at, rest, target, padded] = [
    get(message[lane] as number),
    get(left[lane] as number),
    block[lane] as number,
    ends[lane],
  ];
  return when(
    [...rest, ...integer(rate), ...notBelow],
    [...at, ...set(target), ...at, ...integer(rate), ...add, ...set(message[lane] as number)],
    [...rest, ...integer(-rate), ...add, ...set(left[lane] as number)],
    otherwise,
    [...integer(padded), ...set(target)],
    when(
      [...rest, ...integer(0), ...notBelow],
      [...integer(padded), ...integer(0), ...integer(rate), ...fillMemory],
      [...integer(padded), ...at, ...rest, ...copyMemory],
      [...integer(padded), ...rest, ...add, ...integer(1), ...storeByte(0)],
      [
        ...integer(padded),
        ...integer(padded),
        ...loadByte(rate - 1),
        ...integer(0x80),
        ...or,
        ...storeByte(rate - 1),
      ],
      [...integer(takenUp), ...set(left[lane] as number)],
    ),
  );
}

const takeUpBlocks = each(rate / 8, (word) => [
  ...get(A(word)),
  ...get(block[1] as number),
  ...get(block[0] as number),
  ...loadFirst(8 * word),
  ...loadSecond(8 * word),
  ...xor,
  ...set(A(word)),
]);

const rotate = (local: number, bits: number) =>
  bits === 0
    ? get(local)
    : [
        ...get(local),
        ...integer(bits),
        ...shiftLeft,
        ...get(local),
        ...integer(64 - bits),
        ...shiftRight,
        ...either,
      ];

/** FIPS 202, 3.2.2: how far each word is turned. */
const offsets = new Array<number>(25).fill(0);
for (let t = 0, x = 1, y = 0; t < 24; t += 1) {
  offsets[x + 5 * y] = (((t + 1) * (t + 2)) / 2) % 64;
  [x, y] = [y, (2 * x + 3 * y) % 5];
}

/** FIPS 202, 3.2: theta, rho with pi, chi and iota. */
const permuteOnce = [
  ...each(5, (x) => [...get(A(x)), ...each(4, (y) => [...get(A(x + 5 * (y + 1))), ...xor]), ...set(C(x))]),
  ...each(5, (x) => [...get(C((x + 4) % 5)), ...rotate(C((x + 1) % 5), 1), ...xor, ...set(D(x))]),
  ...each(25, (place) => {
    const [x, y] = [place % 5, Math.floor(place / 5)];
    const turned = [...set(C(0)), ...rotate(C(0), offsets[place] as number)];
    return [...get(A(place)), ...get(D(x)), ...xor, ...turned, ...set(B(y + 5 * ((2 * x + 3 * y) % 5)))];
  }),
  ...each(25, (place) => {
    const [x, row] = [place % 5, place - (place % 5)];
    const next = [...get(B(row + ((x + 2) % 5))), ...get(B(row + ((x + 1) % 5))), ...butNot];
    const iota = place === 0 ? [...get(round), ...loadBoth(constants), ...xor] : [];
    return [...get(B(place)), ...next, ...xor, ...iota, ...set(A(place))];
  }),
];

const permute = [
  ...integer(0),
  ...set(round),
  ...repeat,
  ...permuteOnce,
  ...[...get(round), ...integer(8), ...add, ...set(round)],
  ...[...get(round), ...integer(8 * rounds), ...less, ...again],
  ...end,
];

const writeDigest = (lane: 0 | 1) =>
  when(
    [...get(left[lane] as number), ...integer(takenUp), 0x46],
    each(4, (word) => [...get(digest[lane] as number), ...get(A(word)), ...storeLane(8 * word, lane)]),
    [...integer(done), ...set(left[lane] as number)],
  );

const hashTwo = [
  ...repeat,
  ...nextBlock(0),
  ...nextBlock(1),
  ...takeUpBlocks,
  ...permute,
  ...writeDigest(0),
  ...writeDigest(1),
  // Until both are below zero.
  ...[...get(left[0] as number), ...get(left[1] as number), ...and, ...integer(0), ...notBelow, ...again],
  ...end,
];

/** A module that exports `memory` and `hashTwo(message, message, length, length, digest, digest)`, all places in it. */
export const keccakModule = (): Uint8Array<ArrayBuffer> =>
  moduleOf({ name: "hashTwo", parameters, results: 0, locals, code: hashTwo }, roundConstants());

/** FIPS 202, 3.2.5: the bits come from a shift register. */
function roundConstants(): number[] {
  const bytes: number[] = [];
  let register = 1;
  for (let number = 0; number < rounds; number += 1) {
    const word = new Array<number>(8).fill(0);
    for (let power = 0; power <= 6; power += 1) {
      const bit = 2 ** power - 1;
      if (register & 1) word[bit >> 3] = (word[bit >> 3] as number) | (1 << (bit & 7));
      register = register & 0x80 ? (register << 1) ^ 0x171 : register << 1;
    }
    bytes.push(...word);
  }
  return bytes;
}
