import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { createLimit, type Limit } from "../../../../api/http/rate-limit/limit.ts";
import { createShare } from "../../../../api/http/rate-limit/share.ts";
import { openPool, type Pool } from "../../../../db/core/pool.ts";
import { removeEndedWindows } from "../../../../db/service/rate-windows.ts";
import { createDatabase, type TestDatabase } from "../../../support/database/postgres.ts";

const silent = { info() {}, warn() {}, error() {}, debug() {} };

describe("a rate limit", () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createDatabase();
    pool = openPool(database.url, { application: "test" });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  /** One of several processes that share a limit. */
  const process = (name: string, most: number, windowSeconds = 60): Limit =>
    createLimit({ name, most, windowSeconds }, createShare(pool, silent));

  /** How many of so many uses are allowed, all asked for at once. */
  async function allowed(limit: Limit, caller: string, uses: number): Promise<number> {
    const standings = await Promise.all(Array.from({ length: uses }, () => limit.use(caller)));
    return standings.filter((standing) => standing.allowed).length;
  }

  it("lets one process use it exactly as often as it says", async () => {
    for (const most of [1, 2, 19, 20, 100, 1_000]) {
      expect(await allowed(process(`alone ${most}`, most), "a", most + 50)).to.equal(most);
    }
  });

  it("counts each caller for itself", async () => {
    const limit = process("callers", 10);
    expect(await allowed(limit, "a", 20)).to.equal(10);
    expect(await allowed(limit, "b", 20)).to.equal(10);
    expect(limit.look("a")).to.include({ allowed: false, left: 0 });
    expect(limit.look("c")).to.deep.equal({ allowed: true, left: 10, seconds: 60 });
  });

  it("says what is left, and for how long", async () => {
    const limit = process("left", 3);
    const lefts = [await limit.use("a"), await limit.use("a"), await limit.use("a"), await limit.use("a")];
    expect(lefts.map(({ left }) => left)).to.deep.equal([2, 1, 0, 0]);
    for (const { seconds } of lefts) expect(seconds).to.be.within(50, 60);
  });

  it("lets all processes together use it as often as it says, and at most a tenth more for each", async () => {
    for (const most of [40, 200, 1_000]) {
      const processes = [0, 1, 2].map(() => process(`together ${most}`, most));
      const counts = await Promise.all(processes.map((limit) => allowed(limit, "a", most)));
      const total = counts.reduce((sum, count) => sum + count, 0);
      expect(total, `${most}`).to.be.within(most, most * 1.3);
    }
  });

  it("lets a process that comes later use what is left, and no more than a tenth over", async () => {
    const first = process("later", 100);
    expect(await allowed(first, "a", 70)).to.equal(70);
    expect(await allowed(process("later", 100), "a", 100)).to.be.within(30, 45);
    expect(await allowed(process("later", 100), "a", 100)).to.be.at.most(10);
  });

  it("tells the database only of each twentieth", async () => {
    let told = 0;
    const share = createShare(pool, silent);
    const limit = createLimit({ name: "told", most: 1_000, windowSeconds: 60 }, (uses) => {
      told += 1;
      return share(uses);
    });
    for (let use = 0; use < 1_000; use += 1) await limit.use("a");
    expect(told).to.be.within(1, 20);
    const before = told;
    await allowed(limit, "a", 1_000);
    expect(told).to.be.at.most(before + 1);
  });

  it("begins anew when the window has ended, for all processes", async () => {
    const [one, two] = [process("window", 20, 1), process("window", 20, 1)];
    expect(await allowed(one, "a", 30)).to.equal(20);
    expect(await allowed(two, "a", 30)).to.be.at.most(2);
    await sleep(1_100);
    expect(await allowed(one, "a", 15)).to.equal(15);
    expect(await allowed(two, "a", 30)).to.be.within(5, 7);
  });

  it("goes on by itself while the database is down, and shares again when it is back", async () => {
    const down = openPool("postgres://127.0.0.1:1/none", { application: "test" });
    const warnings: unknown[] = [];
    const share = createShare(down, { ...silent, warn: (line: unknown) => warnings.push(line) });
    const limit = createLimit({ name: "down", most: 100, windowSeconds: 60 }, share);
    expect(await allowed(limit, "a", 150)).to.equal(100);
    expect(warnings).to.have.length(1);
    await down.end();

    let isDown = true;
    const working = createShare(pool, silent);
    const later = createLimit({ name: "back", most: 100, windowSeconds: 60 }, async (uses) =>
      isDown ? undefined : await working(uses),
    );
    expect(await allowed(later, "a", 60)).to.equal(60);
    isDown = false;
    await later.use("a");
    await later.use("a");
    expect(await allowed(process("back", 100), "a", 100)).to.be.within(38, 48);
  });

  it("forgets the windows of the database that have ended", async () => {
    const short = process("short", 1, 1);
    await short.use("a");
    await process("long", 1).use("a");
    await sleep(1_100);
    await removeEndedWindows(pool, 1_000);
    const { rows } = await pool.query<{ subject: string }>("select subject from service.rate_windows");
    const subjects = rows.map(({ subject }) => subject);
    expect(subjects).to.include("long a").and.not.include("short a");
  });
});
