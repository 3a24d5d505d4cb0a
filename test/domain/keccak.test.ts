import { expect } from "chai";
import fc from "fast-check";
import { keccak256 as keccakOfViem, toHex } from "viem";
import { keccak256 } from "../../domain/keccak.ts";

const hex = (message: Uint8Array) => toHex(keccak256(message));

describe("keccak256", () => {
  it("hashes messages of any length as viem does", () => {
    // Around one, two and three blocks of 136 bytes the padding takes each of its forms.
    const edge = fc.constantFrom(0, 1, 134, 135, 136, 137, 271, 272, 273, 407, 408);
    const message = fc
      .oneof(edge, fc.nat(1_000))
      .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));
    fc.assert(
      fc.property(message, (bytes) => {
        expect(hex(bytes)).to.equal(keccakOfViem(bytes));
      }),
      { numRuns: 300 },
    );
  });

  it("hashes a message of megabytes", () => {
    const long = new Uint8Array(3_000_000).fill(0xa5);
    expect(hex(long)).to.equal(keccakOfViem(long));
  });
});
