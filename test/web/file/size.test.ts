import { expect } from "chai";
import { sizeInWords } from "../../../web/src/file/size.ts";

describe("the size of a file in words", () => {
  it("is told in the unit that fits", () => {
    const sizes = [0, 1, 999, 1000, 1_049, 99_950, 999_499, 999_500, 3_221_225_472, 5e12, 4e15];
    expect(sizes.map(sizeInWords)).to.deep.equal([
      ...["0 B", "1 B", "999 B", "1.0 kB", "1.0 kB", "100.0 kB", "999 kB", "1.0 MB"],
      ...["3.2 GB", "5.0 TB", "4000 TB"],
    ]);
  });
});
