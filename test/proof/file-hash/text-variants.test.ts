import { expect } from "chai";
import { mostVariantBytes, textVariants } from "../../../proof/src/file-hash/text-variants.ts";

const [lf, crlf, mark] = ["one\ntwo\n", "one\r\ntwo\r\n", "\ufeff"];
const textsOf = (text: string | Uint8Array) =>
  Array.from(textVariants(Buffer.from(text)), ({ bytes }) => Buffer.from(bytes).toString());

describe("the variants of a text", () => {
  it("are the text with other line ends, with a byte order mark and without one, and never itself", () => {
    expect(textsOf(lf)).to.have.members([mark + lf, crlf, mark + crlf]);
    expect(textsOf(crlf)).to.have.members([mark + crlf, lf, mark + lf]);
    expect(textsOf(mark + crlf)).to.have.members([crlf, lf, mark + lf]);
    expect(textsOf("one\r\ntwo\n\r")).to.include.members(["one\ntwo\n\r", "one\r\ntwo\r\n\r"]);
    expect(textsOf("no line end")).to.deep.equal([`${mark}no line end`]);
    expect(textsOf("\r\r\n")).to.include("\r\n");
  });

  it("keep bytes that are no text in UTF-8", () => {
    const [, variant] = [...textVariants(Uint8Array.of(0xff, 0x0a))];
    expect(variant?.bytes).to.deep.equal(Uint8Array.of(0xff, 0x0d, 0x0a));
    expect(variant?.words).to.equal("CRLF line ends and no byte order mark");
  });

  it("are none of an empty, binary or large file", () => {
    for (const bytes of [
      new Uint8Array(),
      Uint8Array.of(1, 0, 10),
      new Uint8Array(mostVariantBytes + 1).fill(10),
    ])
      expect([...textVariants(bytes)]).to.deep.equal([]);
  });
});
