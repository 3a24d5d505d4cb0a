import { expect } from "chai";
import { pino } from "pino";
import { LeaseLostError, readLease } from "../../db/service/lease.ts";
import { whileLeading } from "../../indexer/lease.ts";
import { useDatabase } from "../db/rows.ts";
import { eventually } from "../support/eventually.ts";

const holder = "00000000-0000-4000-8000-00000000000c";

describe("the indexer's signs of life", () => {
  const store = useDatabase();

  async function expiry(): Promise<number> {
    const { rows } = await store.pool.query<{ expires_at: Date }>(
      "select expires_at from service.indexer_lease",
    );
    return rows[0]?.expires_at.getTime() ?? 0;
  }

  function lead(onHeartbeat: () => Promise<number | undefined>) {
    const warned: string[] = [];
    const log = pino({ level: "warn" }, { write: (line) => void warned.push(JSON.parse(line).msg) });
    const stop = new AbortController();
    let terms = 0;
    const ended = whileLeading(
      { pool: store.pool, holder, seconds: 1, log, onHeartbeat },
      stop.signal,
      (leading) => {
        terms += 1;
        return new Promise((resolve) => leading.addEventListener("abort", () => resolve()));
      },
    );
    return {
      warned,
      terms: () => terms,
      stop() {
        stop.abort();
        return ended;
      },
    };
  }

  it("are given whatever cannot be told beside them, which is logged", async () => {
    const leader = lead(() => Promise.reject(new Error("no number")));
    try {
      await eventually(
        "the lease",
        () => readLease(store.pool),
        (lease) => lease.holder === holder,
      );
      const first = await expiry();
      await eventually("the lease renewed", expiry, (at) => at > first + 1_000);
      expect(leader.warned).to.include("lease heartbeat without statistics");
      expect(leader.terms()).to.equal(1);
    } finally {
      await leader.stop();
    }
  });

  it("end where what is told shows that another has taken over", async () => {
    let beats = 0;
    const leader = lead(async () => {
      beats += 1;
      if (beats === 1) throw new LeaseLostError();
      return 7;
    });
    try {
      await eventually(
        "a second term",
        async () => leader.terms(),
        (terms) => terms === 2,
      );
      await eventually(
        "the figure",
        () => readLease(store.pool),
        (lease) => lease.blocksPerSecond === 7,
      );
    } finally {
      await leader.stop();
    }
  });
});
