import { expect } from "chai";
import { createKeyedQueue } from "../../../api/operation/keyed-queue.ts";

describe("works in turn", () => {
  it("run one after the other for one key, whatever became of the one before, and beside others", async () => {
    const inTurn = createKeyedQueue();
    const log: string[] = [];
    const work =
      (name: string, fails = false) =>
      async () => {
        log.push(`${name} begins`);
        await new Promise(setImmediate);
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      };
    const all = await Promise.allSettled([
      inTurn("a", work("a1")),
      inTurn("a", work("a2", true)),
      inTurn("b", work("b1")),
      inTurn("a", work("a3")),
    ]);
    expect(all.map(({ status }) => status)).to.deep.equal([
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    const ofA = log.filter((line) => line.startsWith("a"));
    expect(ofA).to.deep.equal(["a1", "a2", "a3"].flatMap((name) => [`${name} begins`, `${name} ends`]));
    expect(log.indexOf("b1 begins")).to.be.below(log.indexOf("a1 ends"));
    expect(await inTurn("a", work("a4"))).to.equal("a4");
  });

  /** A work under way until it is ended. */
  function held(inTurn: ReturnType<typeof createKeyedQueue>) {
    let end = () => {};
    const work = inTurn("a", () => new Promise<void>((resolve) => (end = resolve)));
    return { work, end: () => end() };
  }
  const problemOf = (work: Promise<unknown>) => work.then(String, ({ code }: { code: string }) => code);

  it("wait in a crowd of no more than so many: the next is refused at once, and others are not", async () => {
    const inTurn = createKeyedQueue({ most: 2 });
    const first = held(inTurn);
    const waiting = [inTurn("a", async () => "a2"), inTurn("a", async () => "a3")];
    expect(await problemOf(inTurn("a", async () => "a4"))).to.equal("TOO_MANY_AT_ONCE");
    expect(await inTurn("b", async () => "b1")).to.equal("b1");
    first.end();
    expect(await Promise.all(waiting)).to.deep.equal(["a2", "a3"]);
    await first.work;
  });

  it("wait for no longer than they have patience, and keep nobody behind them from a turn", async () => {
    const inTurn = createKeyedQueue({ patience: 10 });
    const first = held(inTurn);
    const ran: string[] = [];
    const late = inTurn("a", async () => ran.push("late"));
    expect(await problemOf(late)).to.equal("TOO_MANY_AT_ONCE");
    const next = inTurn("a", async () => ran.push("next"));
    first.end();
    await Promise.all([first.work, next]);
    expect(ran).to.deep.equal(["next"]);
  });

  it("run as many of one key at once as may, and the next ones as those end, in their order", async () => {
    const inTurn = createKeyedQueue({ atOnce: 2 });
    const ends: (() => void)[] = [];
    const works = Array.from({ length: 5 }, () =>
      inTurn("a", () => new Promise<void>((resolve) => ends.push(resolve))),
    );
    for (const running of [2, 3, 4, 5]) {
      await new Promise(setImmediate);
      expect(ends).to.have.length(running);
      ends[running - 2]?.();
    }
    ends[4]?.();
    await Promise.all(works);
    expect(await inTurn("a", async () => "again")).to.equal("again");
  });
});
