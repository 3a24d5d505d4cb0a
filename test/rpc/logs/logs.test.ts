import { expect } from "chai";
import fc from "fast-check";
import { ConflictingLogsError, LogFormError, parseLogs } from "../../../rpc/logs/logs.ts";

const registry = `0x${"5f".repeat(20)}` as const;
const hash = (digits: string) => `0x${digits.repeat(32)}`;

const log = (fields: object = {}) => ({
  address: registry,
  blockNumber: "0x11",
  blockHash: hash("b1"),
  transactionHash: hash("a1"),
  transactionIndex: "0x0",
  logIndex: "0x3",
  topics: [hash("01")],
  data: "0x1234",
  removed: false,
  ...fields,
});

describe("parseLogs", () => {
  it("takes null for an empty list", () => {
    expect(parseLogs(null, registry)).to.deep.equal([]);
  });

  it("takes copies of a log for that log, wherever they stand", () => {
    const other = log({ logIndex: "0x4" });
    const logs = parseLogs([log(), other, log(), other, log({ removed: null })], registry);
    expect(logs.map(({ logIndex }) => logIndex)).to.deep.equal([3, 4]);
  });

  it("leaves out what the chain has removed, in whatever form it is", () => {
    expect(
      parseLogs([log({ removed: true }), log({ removed: true, blockNumber: null })], registry),
    ).to.deep.equal([]);
  });

  it("rejects two logs at one place that differ, naming the block", () => {
    for (const fields of [{ data: "0x1235" }, { topics: [] }, { transactionHash: hash("a2") }]) {
      expect(() => parseLogs([log(), log(fields)], registry))
        .to.throw(ConflictingLogsError)
        .with.property("message")
        .that.matches(/two different logs at block 17, log index 3/);
    }
  });

  it("numbers the logs of a block anew where each transaction counts from 0", () => {
    const second = { transactionIndex: "0x1", transactionHash: hash("a2") };
    const answer = [
      log({ ...second, logIndex: "0x0" }),
      log({ logIndex: "0x1" }),
      log({ logIndex: "0x0" }),
      log({ ...second, logIndex: "0x1" }),
      log({ blockNumber: "0x12", blockHash: hash("b2"), logIndex: "0x7" }),
    ];
    const logs = parseLogs(answer, registry);
    expect(logs.map((one) => [one.blockNumber, one.transactionIndex, one.logIndex])).to.deep.equal([
      [17, 0, 0],
      [17, 0, 1],
      [17, 1, 2],
      [17, 1, 3],
      [18, 0, 7],
    ]);
  });

  it("reads data in digits of either case", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.infiniteStream(fc.boolean()), (bytes, cases) => {
        const digits = Buffer.from(bytes)
          .toString("hex")
          .replace(/./g, (digit) => (cases.next().value ? digit.toUpperCase() : digit));
        expect(parseLogs([log({ data: `0x${digits}` })], registry)[0]?.data).to.deep.equal(
          Buffer.from(bytes),
        );
      }),
    );
  });

  it("rejects data with half a byte, without 0x, or with any character that is no digit", () => {
    const rejected = (data: unknown) =>
      expect(() => parseLogs([log({ data })], registry), JSON.stringify(data)).to.throw(
        LogFormError,
        "data is no hex",
      );
    for (const data of ["0x0", "1234", "", null, 12, ["0x"]]) rejected(data);
    for (let code = 0; code < 0x200; code += 1) {
      const character = String.fromCharCode(code);
      if (/[0-9a-fA-F]/.test(character)) continue;
      for (const place of [2, 3, 40, 65]) {
        const data = `0x${"0123456789abcdef".repeat(4)}`;
        rejected(data.slice(0, place) + character + data.slice(place + 1));
      }
    }
  });

  it("reads numbers with leading zeros, capital letters or as JSON has them", () => {
    for (const logIndex of ["0x0a", `0x${"0".repeat(63)}a`, "0xA", "0X0A", 10]) {
      expect(parseLogs([log({ logIndex })], registry)[0]?.logIndex, String(logIndex)).to.equal(10);
    }
    for (const logIndex of ["10", "0x", -1, 1.5, `0x${"f".repeat(64)}`, `0x${"0".repeat(65)}`, null]) {
      expect(() => parseLogs([log({ logIndex })], registry), String(logIndex)).to.throw(LogFormError);
    }
  });
});
