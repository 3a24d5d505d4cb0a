import { expect } from "chai";
import { pino } from "pino";
import { createProgress } from "../../../indexer/monitoring/progress.ts";

describe("the progress of a long way to the head", () => {
  function listener(isTTY: boolean) {
    const written: string[] = [];
    const logged: Record<string, unknown>[] = [];
    const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
    const terminal = { isTTY, write: (text: string) => written.push(text) > 0 };
    return { written, logged, progress: createProgress(log, terminal as NodeJS.WriteStream) };
  }
  const at = (blockNumber: number, headNumber = 10_000) => ({ startBlock: 0, blockNumber, headNumber });

  it("is a line that changes on a terminal, with the rate and the time that is left", () => {
    const { progress, written, logged } = listener(true);
    expect(progress.note(at(999), 0)).to.equal(undefined);
    expect(progress.note(at(3_999), 1_000)).to.equal(3_000);
    expect(written.at(-1)).to.contain("indexing: block 3,999 of 10,000 (39 %), 3,000 blocks/s, 3 s left");
    expect(written.at(-1)).to.match(/\r$/);
    expect(logged).to.deep.equal([]);
  });

  it("is a line of the log now and then where there is no terminal", () => {
    const { progress, written, logged } = listener(false);
    for (let second = 0; second <= 21; second += 1) progress.note(at(100 * second), 1_000 * second);
    expect(written).to.deep.equal([]);
    expect(logged).to.have.length(3);
    expect(logged[1]).to.include({
      msg: "indexing",
      block: 1_100,
      head: 10_000,
      blocksPerSecond: 100,
      remainingSeconds: 89,
    });
  });

  it("is nothing near the head, and has no time left to tell where it stands still", () => {
    const { progress, written } = listener(true);
    expect(progress.note(at(9_990), 0)).to.equal(undefined);
    expect(written).to.deep.equal([]);
    progress.note(at(500), 1_000);
    expect(progress.note(at(500), 2_000)).to.equal(0);
    expect(written.at(-1)).to.contain(", 0 blocks/s\u001b[K\r");
    progress.note(at(9_990), 3_000);
    expect(written.at(-1)).to.equal("\u001b[K");
  });
});
