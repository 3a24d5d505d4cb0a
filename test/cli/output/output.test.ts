import { expect } from "chai";
import { allPrintable, printable, printableJson } from "../../../cli/src/output/printable.ts";
import { createProgress } from "../../../cli/src/output/progress.ts";
import { sizeInWords } from "../../../cli/src/output/size.ts";
import { createStyle } from "../../../cli/src/output/style.ts";

describe("what a terminal is shown", () => {
  it("has no character that moves its cursor, reorders its text or hides in it", () => {
    expect(printable("Vertrag-Müller 文 😀.pdf")).to.equal("Vertrag-Müller 文 😀.pdf");
    expect(printable("a\u001b[2J\r\n\t\u0000\u009b31m\u202eb\u200b\u2028\ud800")).to.equal(
      "a\\u{1b}[2J\\u{d}\\u{a}\\u{9}\\u{0}\\u{9b}31m\\u{202e}b\\u{200b}\\u{2028}\\u{d800}",
    );
    expect(allPrintable({ a: ["\u0007"], b: 1, c: null })).to.deep.equal({ a: ["\\u{7}"], b: 1, c: null });
  });

  it("is the same value in JSON", () => {
    const value = { name: "a\u001b\u009b\u202e\u{e0041}\ud800", list: [1, null] };
    const json = printableJson(value);
    expect(JSON.parse(json)).to.deep.equal(value);
    expect(json).to.match(/^[ -~\n]*$/);
  });
});

describe("colours", () => {
  const coloured = (env: Record<string, string>, isTTY: boolean) =>
    createStyle({ env }, { isTTY, write: () => {} })("red", "text") !== "text";

  it("are for terminals alone, unless the environment says otherwise", () => {
    expect(coloured({}, true)).to.equal(true);
    expect(coloured({}, false)).to.equal(false);
    expect(coloured({ TERM: "dumb" }, true)).to.equal(false);
    expect(coloured({ NO_COLOR: "1" }, true)).to.equal(false);
    expect(coloured({ NO_COLOR: "" }, true)).to.equal(true);
    expect(coloured({ FORCE_COLOR: "1" }, false)).to.equal(true);
    expect(coloured({ FORCE_COLOR: "0" }, true)).to.equal(false);
    expect(coloured({ FORCE_COLOR: "1", NO_COLOR: "1" }, false)).to.equal(true);
  });
});

describe("progress", () => {
  const realNow = performance.now;
  let now = 0;
  let written = "";
  beforeEach(() => {
    now = 0;
    written = "";
    performance.now = () => now;
  });
  afterEach(() => {
    performance.now = realNow;
  });
  const output = (isTTY: boolean) => ({ isTTY, write: (text: string) => (written += text) });

  it("is shown at a terminal after half a second, and taken away at the end", () => {
    const progress = createProgress(output(true), "a.iso", 4_000_000_000);
    now = 400;
    progress.update(400_000_000);
    expect(written).to.equal("");
    now = 1_000;
    progress.update(1_000_000_000);
    expect(written).to.equal("\r\u001b[Ka.iso: 1.0 GB of 4.0 GB (25 %), 1.0 GB/s");
    progress.end();
    expect(written.endsWith("%), 1.0 GB/s\r\u001b[K")).to.equal(true);
  });

  it("is not shown elsewhere, and for small files", () => {
    const elsewhere = createProgress(output(false), "a.iso", 10);
    now = 1_000;
    elsewhere.update(5);
    elsewhere.end();
    createProgress(output(true), "a.iso", 10).end();
    expect(written).to.equal("");
  });

  it("tells sizes in decimal units", () => {
    expect([0, 999, 1_000, 5_368_709_120, 2e18].map(sizeInWords)).to.deep.equal([
      "0 bytes",
      "999 bytes",
      "1.0 kB",
      "5.4 GB",
      "2000.0 PB",
    ]);
  });
});
