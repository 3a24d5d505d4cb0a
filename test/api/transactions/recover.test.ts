import { expect } from "chai";
import fc from "fast-check";
import { type Hex, keccak256, numberToHex, pad, parseSignature, recoverAddress, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { recoverSigner } from "../../../api/transactions/recover.ts";

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const field = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn;

describe("the signer of a digest", () => {
  const digest = keccak256("0x01");
  const account = privateKeyToAccount(keccak256("0x02"));

  it("is found as viem finds it, of any key and digest, with either parity", async () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((value) => keccak256(value));
    await fc.assert(
      fc.asyncProperty(bytes, bytes, async (key, hash) => {
        const signer = privateKeyToAccount(key);
        const signature = parseSignature(await signer.sign({ hash }));
        expect(await recoverSigner(hash, signature)).to.equal(signer.address);
        const other = { ...signature, yParity: 1 - signature.yParity };
        expect(await recoverSigner(hash, other)).to.equal(await recoverAddress({ hash, signature: other }));
      }),
      { numRuns: 30 },
    );
  });

  it("is found of numbers with zeros in front, which transactions leave out", async () => {
    for (let tried = 0, short = 0; short < 3 && tried < 5_000; tried += 1) {
      const hash = keccak256(toHex(tried));
      const { r, s, yParity } = parseSignature(await account.sign({ hash }));
      if (!r.startsWith("0x00") && !s.startsWith("0x00")) continue;
      short += 1;
      const [shortR, shortS] = [numberToHex(BigInt(r)), numberToHex(BigInt(s))];
      expect(await recoverSigner(hash, { r: shortR, s: shortS, yParity: yParity as number })).to.equal(
        account.address,
      );
    }
  });

  const good = { r: pad("0x01"), s: pad("0x01"), yParity: 0 };
  const bad: [what: string, signature: { r: Hex; s: Hex; yParity: number }][] = [
    ["r is zero", { ...good, r: pad("0x0") }],
    ["s is zero", { ...good, s: pad("0x0") }],
    ["r is the order", { ...good, r: numberToHex(order) }],
    ["s is the order", { ...good, s: numberToHex(order) }],
    ["r is beyond the field", { ...good, r: numberToHex(field + 1n) }],
    ["r is on no point of the curve", { ...good, r: pad("0x05") }],
    ["r is too long", { ...good, r: `0x01${"00".repeat(32)}` }],
    ["the parity is none", { ...good, yParity: 27 }],
  ];
  for (const [what, signature] of bad) {
    it(`is nobody where ${what}`, async () => {
      expect(await recoverSigner(digest, signature)).to.equal(undefined);
    });
  }

  it("is somebody of numbers that no key has signed by", async () => {
    const signature = good;
    expect(await recoverSigner(digest, signature)).to.equal(
      await recoverAddress({ hash: digest, signature }),
    );
  });
});
