import { expect } from "chai";
import fc from "fast-check";
import { keccak256, toHex } from "viem";
import { keccak } from "../../db/keccak.ts";

/** Somewhere behind what the digests of assets use. */
const place = 100_000;

function hashTwo(first: Uint8Array, second: Uint8Array): string[] {
  keccak.reserve(place + 64 + first.length + second.length);
  const [one, other] = [place + 64, place + 64 + first.length];
  keccak.bytes.set(first, one);
  keccak.bytes.set(second, other);
  keccak.hashTwo(one, other, first.length, second.length, place, place + 32);
  return [place, place + 32].map((at) => `0x${keccak.bytes.toString("hex", at, at + 32)}`);
}

describe("keccak", () => {
  it("hashes two messages of any lengths as viem does", () => {
    // Around one, two and three blocks of 136 bytes the padding takes each of its forms.
    const edge = fc.constantFrom(0, 1, 134, 135, 136, 137, 271, 272, 273, 407, 408);
    const message = fc
      .oneof(edge, fc.nat(1_000))
      .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));
    fc.assert(
      fc.property(message, message, (first, second) => {
        expect(hashTwo(first, second)).to.deep.equal([keccak256(first), keccak256(second)]);
      }),
      { numRuns: 300 },
    );
  });

  it("grows its memory for a message of megabytes", () => {
    const [long, short] = [new Uint8Array(3_000_000).fill(0xa5), Uint8Array.of(1, 2, 3)];
    expect(hashTwo(long, short)).to.deep.equal([keccak256(long), keccak256(toHex(short))]);
  });
});
