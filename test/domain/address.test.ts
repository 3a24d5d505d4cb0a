import { expect } from "chai";
import { getAddress } from "ethers";
import fc from "fast-check";
import { parseAddress } from "../../domain/address.ts";

const CHECKSUMMED = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const [LOWER, UPPER] = [CHECKSUMMED.toLowerCase(), `0x${CHECKSUMMED.slice(2).toUpperCase()}`];

const FORM = { problem: "must be an address: 0x and 40 hex digits" };

describe("parseAddress", () => {
  describe("given the digits of one address", () => {
    for (const [spelling, text] of [
      ["with its checksum", CHECKSUMMED],
      ["in lower case", LOWER],
      ["in upper case", UPPER],
    ] as const) {
      it(`answers it with its checksum when it is written ${spelling}`, () => {
        expect(parseAddress(text)).to.equal(CHECKSUMMED);
      });
    }

    it("refuses a wrong checksum and names the right one", () => {
      expect(parseAddress("0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266")).to.deep.equal({
        problem: `has a wrong checksum: a letter may be mistyped (expected ${CHECKSUMMED})`,
      });
    });
  });

  describe("given the examples of EIP-55", () => {
    for (const text of [
      "0x52908400098527886E0F7030069857D2E4169EE7",
      "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
      "0xde709f2102306220921060314715629080e2fb77",
      "0x27b1fdb04752bbc536007a920d24acb045561c26",
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
      "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
      "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    ]) {
      it(`keeps ${text}`, () => {
        expect(parseAddress(text)).to.equal(text);
      });
    }
  });

  describe("given something else", () => {
    for (const [what, text] of [
      ["nothing", ""],
      ["no prefix", LOWER.slice(2)],
      ["a capital 0X", `0X${LOWER.slice(2)}`],
      ["a digit too few", LOWER.slice(0, -1)],
      ["a digit too many", `${LOWER}0`],
      ["a letter that is no hex digit", `${LOWER.slice(0, -1)}g`],
      ["white space around it", ` ${LOWER}`],
      ["a line end behind it", `${LOWER}\n`],
      ["full-width digits", `0x${"\uff11".repeat(40)}`],
      ["a name", "vitalik.eth"],
    ] as const) {
      it(`refuses ${what}`, () => {
        expect(parseAddress(text)).to.deep.equal(FORM);
      });
    }

    it("refuses the zero address, for which nobody can sign", () => {
      expect(parseAddress(`0x${"0".repeat(40)}`)).to.deep.equal({
        problem: "must not be the zero address: nobody can sign for it",
      });
    });
  });

  it("agrees with ethers on any address and any mix of cases", () => {
    const digits = fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .filter((bytes) => bytes.some((b) => b > 0));
    const flips = fc.array(fc.boolean(), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(digits, flips, (bytes, capitals) => {
        const hex = Buffer.from(bytes).toString("hex");
        const mixed = [...hex]
          .map((digit, index) => (capitals[index] ? digit.toUpperCase() : digit))
          .join("");
        const oneCase = mixed === hex || mixed === hex.toUpperCase();
        const checksummed = getAddress(`0x${hex}`);
        expect(parseAddress(`0x${hex}`)).to.equal(checksummed);
        expect(parseAddress(checksummed)).to.equal(checksummed);
        const valid = oneCase || `0x${mixed}` === checksummed;
        expect(typeof parseAddress(`0x${mixed}`)).to.equal(valid ? "string" : "object");
      }),
    );
  });
});
