import { expect } from "chai";
import { createTail } from "../../../api/events/tail.ts";
import { openPool, type Pool } from "../../../db/core/pool.ts";
import type { LoggedEvent } from "../../../db/service/events/event.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";
import { tell } from "../../support/database/tell.ts";
import { eventually } from "../../support/eventually.ts";

const silent = { info() {}, warn() {}, error() {}, debug() {} };
const wallet = { kind: "wallet.connected", user: { issuer: "a", subject: "b" } } as const;

describe("the tail of the log", () => {
  let database: TestDatabase;
  let pool: Pool;
  let told: number[];
  let losses: number;
  let problem: Error | undefined;
  const follower = {
    tell(events: readonly LoggedEvent[]) {
      if (problem !== undefined) throw problem;
      told.push(...events.map(({ sequence }) => sequence));
    },
    lost() {
      losses += 1;
    },
  };

  before(async () => {
    database = await createDatabase();
    pool = openPool(database.url, { application: "test" });
    await tell(pool, ...Array.from({ length: 30 }, () => wallet));
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => {
    [told, losses, problem] = [[], 0, undefined];
  });

  const create = (settings = {}) => createTail(pool, silent as never, follower, settings);

  it("begins behind the end, and has the newest events in memory for who resumes there", async () => {
    const tail = create({ kept: 10, batch: 4 });
    await tail.start();
    expect(tail.position()).to.equal(30);
    expect(tail.since(30, 5)).to.deep.equal([]);
    expect(tail.since(25, 3)?.map(({ sequence }) => sequence)).to.deep.equal([26, 27, 28]);
    expect(tail.since(19, 5)).to.equal(undefined);
    tail.stop();
  });

  it("ends where it is stopped while it begins, and begins anew", async () => {
    const tail = create({ batch: 4 });
    const begun = tail.start();
    tail.stop();
    await begun;
    expect(told.length).to.be.below(30);
    await tail.start();
    expect(tail.position()).to.equal(30);
    tail.stop();
  });

  it("says that it is lost where an event cannot be told", async () => {
    const tail = create({ poll: 10 });
    await tail.start();
    problem = new Error("not this one");
    await tell(pool, wallet);
    await eventually(
      "the loss",
      async () => losses,
      (count) => count > 0,
    );
    tail.stop();
  });
});
