import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import type { WaitingRelay } from "../../../db/service/relays/waiting-relays.ts";
import { createEstimates } from "../../../indexer/relayer/estimates.ts";

describe("estimates that cannot be made, as while the database is away", () => {
  const [first, second, third] = ["first", "second", "third"].map(
    (requestId): WaitingRelay => ({ requestId, tenant: "one", signature: "0x", failures: 0 }),
  ) as [WaitingRelay, WaitingRelay, WaitingRelay];
  const away = new Error("the database is away");

  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  beforeEach(() => {
    unhandled.length = 0;
    process.on("unhandledRejection", note);
  });
  afterEach(() => void process.off("unhandledRejection", note));

  const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
    await work.then(
      (value) => ({ value }),
      (error: unknown) => error,
    );
  const all = (...waiting: WaitingRelay[]) =>
    waiting.map((one) => ({ waiting: one, estimate: one.requestId }));

  it("fail one pass, and are made in the next one", async () => {
    let isAway = true;
    const estimates = createEstimates(async ({ requestId }) => {
      if (isAway && requestId !== "first") throw away;
      return requestId;
    });
    expect(await failureOf(estimates.of([first, second, third]))).to.equal(away);
    isAway = false;
    expect(await estimates.of([first, second, third])).to.deep.equal(all(first, second, third));
    await turn();
    expect(unhandled).to.deep.equal([]);
  });

  it("end nothing where they fail when no pass waits for them", async () => {
    const begun = new Map<string, (error: Error) => void>();
    let isAway = true;
    const estimates = createEstimates(async ({ requestId }) => {
      if (isAway) await new Promise((_, reject) => begun.set(requestId, reject));
      return requestId;
    });
    expect(await estimates.of([first, second, third])).to.deep.equal([]);
    expect([...begun.keys()]).to.deep.equal(["first", "second", "third"]);
    for (const reject of begun.values()) reject(away);
    // Rejections that nobody has listened to are told of in the turn after.
    await turn();
    expect(unhandled).to.deep.equal([]);
    isAway = false;
    // Of one that is not due any more nobody needs to know.
    expect(await failureOf(estimates.of([first, second]))).to.equal(away);
    expect(await estimates.of([first, second, third])).to.deep.equal(all(first, second, third));
  });

  it("end nothing where they begin when the time of a pass is over", async () => {
    const rejects: ((error: Error) => void)[] = [];
    const estimates = createEstimates(() => new Promise<string>((_, reject) => void rejects.push(reject)));
    const crowd = Array.from({ length: 5 }, (_, nth) => ({ ...first, requestId: String(nth) }));
    const pass = estimates.of(crowd);
    // There is room for four of a tenant: the fifth begins when one has failed.
    rejects[0]?.(away);
    expect(await failureOf(pass)).to.equal(away);
    expect(rejects).to.have.length(5);
    for (const reject of rejects) reject(away);
    await turn();
    expect(unhandled).to.deep.equal([]);
  });
});
