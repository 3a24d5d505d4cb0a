import { expect } from "chai";
import fc from "fast-check";
import { parseWithLogData } from "../../../rpc/logs/log-data.ts";

const long = `0x${"0123456789abcdefABCDEF00".repeat(20)}`;

/** As an answer means it, whichever of its `data` came as bytes. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => {
      if (key !== "data" || typeof inner !== "object" || inner === null || !("type" in inner)) return inner;
      return `0x${Buffer.from((inner as { data: number[] }).data).toString("hex")}`;
    }),
  );
}
const parse = (text: string) => parseWithLogData(Buffer.from(text));
const dataOf = (answer: unknown) =>
  (answer as { result: { data: unknown }[] }).result.map(({ data }) => data);

describe("parseWithLogData", () => {
  it("answers what JSON.parse answers, with bytes for long data", () => {
    const digits = fc
      .uint8Array({ maxLength: 400 })
      .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);
    const log = fc.record({ address: fc.string({ unit: "binary" }), data: digits, logIndex: fc.string() });
    const answer = fc.record({ id: fc.nat(), result: fc.oneof(fc.array(log), fc.constant(null)) });
    fc.assert(
      fc.property(fc.oneof(answer, fc.array(answer)), (asked) => {
        const parsed = parse(JSON.stringify(asked));
        expect(plain(parsed)).to.deep.equal(asked);
        for (const { result } of [parsed].flat() as (typeof asked & { result: unknown })[]) {
          for (const { data } of (result ?? []) as { data: unknown }[]) {
            if (typeof data === "string") expect(data.length).to.be.below(2 + 64);
            else expect(data).to.be.instanceOf(Uint8Array);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it("reads capital digits, and text that is not ASCII around them", () => {
    const parsed = parse(`{"note":"契約 \\"data\\":\\"0x00","result":[{"data":"${long}"}],"end":"é"}`);
    const bytes = Buffer.from(long.slice(2), "hex");
    expect(parsed).to.deep.include({ note: '契約 "data":"0x00', end: "é" });
    expect(Buffer.from(dataOf(parsed)[0] as Uint8Array)).to.deep.equal(bytes);
  });

  for (const [what, data] of [
    ["a digit that is none", `"${long.slice(0, -2)}0g"`],
    ["half a byte", `"${long}0"`],
    ["a space before it", ` "${long}"`],
    ["an escape in it", `"${long}\\u0030"`],
  ] as const) {
    it(`leaves data with ${what} as the node wrote it`, () => {
      const text = `{"result":[{"data":${data}},{"data":"${long}"}]}`;
      const [first, second] = dataOf(parse(text));
      expect(first).to.equal(dataOf(JSON.parse(text))[0]);
      expect(second).to.be.instanceOf(Uint8Array);
    });
  }

  it("gives no data to a log whose number stands for none", () => {
    expect(
      dataOf(parse(`{"result":[{"data":5},{"data":-1},{"data":0.5},{"data":"${long}"}]}`)),
    ).to.deep.equal([undefined, undefined, undefined, Buffer.from(long.slice(2), "hex")]);
  });

  for (const text of [
    "",
    "[",
    `{"result":[{"data":"${long}"}`,
    `{"result":[{"data":"${long}`,
    '{"data":"0x',
  ]) {
    it(`refuses ${JSON.stringify(text.slice(0, 30))}, which is no JSON`, () => {
      expect(() => parse(text)).to.throw(SyntaxError);
    });
  }

  it("takes the last of two data of one log, as JSON does", () => {
    const other = `0x${"77".repeat(40)}`;
    const [data] = dataOf(
      parse(`{"result":[null,{"data":"${long}","data":"${other}"}]}`.replace("null,", "")),
    );
    expect(data).to.deep.equal(Buffer.from(other.slice(2), "hex"));
  });
});
