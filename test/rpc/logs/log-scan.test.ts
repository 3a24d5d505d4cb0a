import { expect } from "chai";
import fc from "fast-check";
import { parseWithLogData } from "../../../rpc/logs/log-data.ts";
import { forgetLogs } from "../../../rpc/logs/log-memory.ts";
import { scanLogs } from "../../../rpc/logs/log-scan.ts";
import { type Log, parseLogs } from "../../../rpc/logs/logs.ts";

const registry = `0x${"ab".repeat(20)}` as const;
const hexOf = (size: number) =>
  fc
    .uint8Array({ minLength: size, maxLength: size })
    .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);
const count = fc.nat().map((value) => `0x${value.toString(16)}`);
/** As nodes write them; neighbours often share what stands before the others. */
const rawLog = fc
  .record(
    {
      address: fc.oneof({ weight: 9, arbitrary: fc.constant<string>(registry) }, hexOf(20)),
      blockHash: fc.oneof(fc.constant(`0x${"11".repeat(32)}`), hexOf(32)),
      blockNumber: count,
      transactionHash: fc.oneof(fc.constant(`0x${"22".repeat(32)}`), hexOf(32)),
      transactionIndex: count,
      logIndex: count,
      topics: fc.array(fc.oneof(fc.constant(`0x${"33".repeat(32)}`), hexOf(32)), { maxLength: 4 }),
      data: fc.uint8Array({ maxLength: 200 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`),
      removed: fc.constant(false),
      blockTimestamp: count,
    },
    {
      requiredKeys: [
        ...(["address", "blockHash", "blockNumber", "data"] as const),
        ...(["logIndex", "topics", "transactionHash", "transactionIndex"] as const),
      ],
    },
  )
  .chain((log) =>
    fc
      .shuffledSubarray(Object.entries(log), { minLength: Object.keys(log).length })
      .map((entries) => Object.fromEntries(entries) as Record<string, unknown>),
  );

/** What an answer comes to: its logs, or what is wrong with it. */
function outcome(read: () => { result?: unknown }): unknown {
  try {
    return parseLogs(read()?.result, registry).map((log) => ({ ...plain(log) }));
  } catch (error) {
    // What V8 says of broken JSON tells where it is broken.
    return error instanceof SyntaxError ? "no JSON" : String(error);
  }
}

function plain(log: Log): Log {
  const { blockNumber, blockHash, transactionHash, transactionIndex, logIndex, topics, data } = log;
  return {
    ...{ blockNumber, blockHash, transactionHash, transactionIndex, logIndex, topics },
    data: Buffer.from(data),
  };
}

const scanned = (text: string) =>
  outcome(() => parseWithLogData(Buffer.from(text, "latin1")) as { result?: unknown });
const parsed = (text: string) => outcome(() => JSON.parse(text));
const written = (logs: readonly unknown[]) => JSON.stringify({ jsonrpc: "2.0", id: 1, result: logs });
const runsOf = (text: string) => scanLogs(Buffer.from(text), Buffer.alloc(text.length)).runs;

describe("scanLogs", () => {
  it("reads all logs that are written as nodes write them, whatever the order of their fields", () => {
    fc.assert(
      fc.property(fc.array(rawLog, { minLength: 1, maxLength: 6 }), (logs) => {
        const text = written(logs);
        const runs = runsOf(text);
        expect(runs.map(({ logs: found }) => found.length)).to.deep.equal([logs.length]);
        expect(text.slice(runs[0]?.start, runs[0]?.end)).to.equal(JSON.stringify(logs).slice(1, -1));
        expect(scanned(text)).to.deep.equal(parsed(text));
      }),
      { numRuns: 300 },
    );
  });

  it("makes no other logs of an answer than JSON does, whatever was changed in it", () => {
    const piece = fc.oneof(
      fc.constantFrom('"', ",", "{", "}", "[", "]", ":", "0x", "\\", " ", "null", "true", "A", "g", "7", ""),
      fc.constantFrom(',"removed":true', ',"removed":false', ',"data":"0x00"', ',"extra":1', '"logIndex":1,'),
    );
    const change = fc.record({ at: fc.nat(), length: fc.nat({ max: 3 }), piece });
    fc.assert(
      fc.property(
        fc.array(rawLog, { minLength: 1, maxLength: 4 }),
        fc.array(change, { minLength: 1, maxLength: 2 }),
        (logs, changes) => {
          let text = written(logs);
          for (const { at, length, piece: other } of changes) {
            const place = at % text.length;
            text = text.slice(0, place) + other + text.slice(place + length);
          }
          expect(scanned(text)).to.deep.equal(parsed(text));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("leaves what is written in another way, and all after it, to JSON", () => {
    const [log] = fc.sample(rawLog, { numRuns: 1, seed: 5 });
    const at = (logIndex: string) => ({ ...log, address: registry, logIndex });
    const text = written([at("0x1"), at("0x2"), { ...at("0x3"), of: "another" }, at("0x4")]);
    expect(runsOf(text).map(({ logs }) => logs.length)).to.deep.equal([2]);
    expect(scanned(text)).to.have.length(4);
    expect(scanned(text)).to.deep.equal(parsed(text));
  });

  it("uses the memory of logs again only when they are forgotten", () => {
    const [one, other] = fc.sample(rawLog, { numRuns: 2, seed: 7 }).map((log, index) => {
      const data = `0x${String(index + 1).repeat(400_000)}`;
      return written([{ ...log, address: registry, data }]);
    }) as [string, string];
    const read = (text: string) =>
      parseLogs((parseWithLogData(Buffer.from(text)) as { result: unknown }).result, registry);
    const logs = read(one);
    const before = logs.map(plain);
    expect(read(other).map(plain)).to.deep.equal(parsed(other));
    expect(logs.map(plain)).to.deep.equal(before);
    forgetLogs(logs);
    expect(read(other).map(plain)).to.deep.equal(parsed(other));
    expect(logs.map(plain)).to.not.deep.equal(before);
  });

  it("makes many logs of no list of numbers", () => {
    const [log] = fc.sample(rawLog, { numRuns: 1, seed: 5 });
    const text = written([{ ...log, address: registry }]).replace(/\]\}$/, `${",0".repeat(1_000)}]}`);
    expect(scanned(text)).to.equal("LogFormError: holds an entry that is no object");
  });
});
