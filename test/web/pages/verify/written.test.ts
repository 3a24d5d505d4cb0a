import { expect } from "chai";
import { readAssetId, readWritten } from "../../../../web/src/pages/verify/written.ts";

const digits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const methodsOf = (text: string) => [...(readWritten(text)?.digests.keys() ?? [])];

describe("a pasted text", () => {
  it("is an asset's id with 0x or without, in capitals, in the address of its page", () => {
    const forms = [
      `0x${digits}`,
      digits,
      `0X${digits.toUpperCase()}`,
      `https://a.example/console/assets/0x${digits}`,
    ];
    for (const text of forms) expect(readWritten(` ${text}\r\n`)?.assetId, text).to.equal(`0x${digits}`);
    expect(readWritten(`https://a.example/assets/0x${digits}?a=b#c`)?.assetId).to.equal(`0x${digits}`);
    expect(readAssetId(`0x${digits}00`)).to.equal(undefined);
  });

  it("is a hash by each method that has such ones, where it names none: none is guessed", () => {
    for (const text of [digits, `0x${digits}`, digits.toUpperCase(), (digits.match(/../g) ?? []).join(":")]) {
      expect(methodsOf(text), text).to.include.members(["sha256", "sha3-256", "keccak256", "blake3"]);
      expect(readWritten(text)?.digests.get("sha256"), text).to.equal(digits);
    }
    expect(methodsOf("d41d8cd98f00b204e9800998ecf8427e")).to.deep.equal(["md5", "blake2s128"]);
  });

  it("is a hash by the method that it names", () => {
    const base64 = Buffer.from(digits, "hex").toString("base64");
    for (const text of [
      `sha256:${digits}`,
      `SHA2-256 ${digits}`,
      `sha256-${base64}`,
      `SHA256 (a.pdf) = ${digits}`,
    ]) {
      expect(methodsOf(text), text).to.deep.equal(["sha256"]);
      expect(readWritten(text)?.assetId, text).to.equal(undefined);
    }
  });

  it("is neither where it is something else", () => {
    const others = [
      "",
      " ",
      "no hash",
      "0x",
      "0x12",
      digits.slice(1),
      `${digits}0`,
      "javascript:alert(1)",
      "é".repeat(3_000),
    ];
    for (const text of others) expect(readWritten(text), text).to.equal(undefined);
  });
});
