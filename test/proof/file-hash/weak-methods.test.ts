import { expect } from "chai";
import { hashMethods } from "../../../proof/src/file-hash/method-names.ts";
import { weaknessOf } from "../../../proof/src/file-hash/weak-methods.ts";

describe("a warning about a method", () => {
  it("is given of those by which somebody can make two files with one digest", () => {
    const warned = hashMethods.filter((method) => weaknessOf(method) !== undefined);
    expect(warned).to.deep.equal(["md5", "sha1", "blake2s128"]);
    expect(weaknessOf("md5")).to.contain("MD5 is broken");
  });
});
