import { expect } from "chai";
import { tellApart } from "../../../web/src/wallet/namesakes.ts";

describe("wallets that call themselves the same", () => {
  const apart = (...names: string[]) => tellApart(names.map((name, at) => ({ name, rdns: `maker.${at}` })));

  it("are told apart by their makers, and no others are", () => {
    expect(apart("Fox", "Bear", "Fox")).to.deep.equal(["maker.0", undefined, "maker.2"]);
    expect(apart("Fox", "Foxy")).to.deep.equal([undefined, undefined]);
  });

  it("are those that a reader cannot tell apart", () => {
    for (const name of ["fox", "Fox ", "F\u200box", "\ufeffFox", "\uff26\uff4f\uff58"])
      expect(apart("Fox", name), name).to.deep.equal(["maker.0", "maker.1"]);
  });
});
