import { expect } from "chai";
import { pino } from "pino";
import { createIndexPosition } from "../../db/chain/index-position.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import { readWaits } from "../../db/service/indexer-waits.ts";
import { FatalError } from "../../indexer/fatal-error.ts";
import { followChain } from "../../indexer/loop.ts";
import { registry, useDatabase } from "../db/rows.ts";
import { eventually } from "../support/eventually.ts";

describe("what stops the index", () => {
  const store = useDatabase();
  const log = pino({ level: "silent" });
  const hopeless = () => Promise.reject(new FatalError("Nothing helps."));
  const works = async () => undefined;

  beforeEach(async () => {
    await store.pool.query("delete from service.indexer_waits");
    const cursor = { chainId: registry.chainId, registry: registry.address, startBlock: 1, headNumber: 0 };
    await store.write((tx) => createIndexPosition(tx, cursor));
  });

  async function during(work: Partial<Parameters<typeof followChain>[0]>, look: () => Promise<void>) {
    const stop = new AbortController();
    const ended = followChain(
      { step: async () => false, pass: works, ...work },
      { pool: store.pool, pollInterval: 20, log },
      stop.signal,
    );
    try {
      await look();
    } finally {
      stop.abort();
      await ended;
    }
  }

  const halted = async () => (await readIndexPosition(store.pool))?.haltedReason;

  it("is trouble that only an operator helps against, met in following the chain", () =>
    during({ step: hopeless }, async () => {
      await eventually("the halt", halted, (reason) => reason === "Nothing helps.");
    }));

  const others = [
    ["looking after transactions", "pass"],
    ["relaying signatures", "relay"],
    ["sweeping", "sweep"],
  ] as const;
  for (const [what, name] of others) {
    it(`is nothing that ${what} meets: it is tried again, and the wait is named`, async () => {
      let tries = 0;
      let steps = 0;
      const fails = () => {
        tries += 1;
        return hopeless();
      };
      const step = async () => {
        steps += 1;
        return false;
      };
      await during({ step, [name]: fails }, async () => {
        await eventually(
          "a second try",
          async () => tries,
          (count) => count >= 2,
        );
        const before = steps;
        await eventually(
          "the chain followed",
          async () => steps,
          (count) => count > before,
        );
        const waits = await readWaits(store.pool);
        expect(waits.map(({ work, problem }) => [work, problem])).to.deep.equal([[what, "Nothing helps."]]);
        expect(await halted()).to.equal(undefined);
      });
    });
  }
});
