import { expect } from "chai";
import { sweepUp } from "../../../api/service/sweeps.ts";
import { startApi, type TestApi } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";

describe("what is over", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  const left = async () =>
    (await api.pool.query("select key from service.idempotency_keys order by key")).rows.map(
      ({ key }) => key,
    );
  const insert = (key: string, hours: number, many = 1) =>
    api.pool.query(
      `insert into service.idempotency_keys (caller, operation, key, fingerprint, status, body, answered_at)
       select sha256(n::text::bytea), 'POST /assets/', $1, sha256(''), 202, '{}', now() - make_interval(hours => $2)
       from generate_series(1, $3) n`,
      [key, hours, many],
    );

  it("is removed in all tables, however much of it there is", async function () {
    this.timeout(30_000);
    const many = 3_500;
    await insert("old", 25, many);
    await api.pool.query(
      `insert into service.wallet_initialisations (id, issuer, subject, name, description, token, expires_at)
       select gen_random_uuid(), 'i', 's', '', '', gen_random_uuid()::text, now() - make_interval(hours => $2)
       from generate_series(1, $1::int) n`,
      [many, 25],
    );
    await api.pool.query(
      `insert into service.rate_windows (subject, used, ends_at)
       select n::text, 1, now() - interval '1 second' from generate_series(1, $1::int) n`,
      [many],
    );
    const rows = async () => {
      const { rows } = await api.pool.query(
        `select (select count(*)::int from service.idempotency_keys)
           + (select count(*)::int from service.wallet_initialisations)
           + (select count(*)::int from service.rate_windows where ends_at < now()) as rows`,
      );
      return rows[0].rows;
    };
    const stop = new AbortController();
    const sweeping = sweepUp(api.pool, api.services.log, stop.signal);
    await eventually("empty tables", rows, (count) => count === 0, 20);
    stop.abort();
    await sweeping;
  });

  it("is removed all at the start and what gets old later, until it is stopped", async () => {
    await insert("old", 25, 2_500);
    await insert("young", 23);
    const stop = new AbortController();
    const sweeping = sweepUp(api.pool, api.services.log, stop.signal, { interval: 20 });
    await eventually("the first sweep", left, (keys) => keys.join() === "young");
    await insert("later", 25);
    await eventually("the next sweep", left, (keys) => keys.join() === "young");
    stop.abort();
    await sweeping;
    await insert("last", 25);
    expect(await left()).to.deep.equal(["last", "young"]);
  });

  it("waits for the next time where the database does not answer", async () => {
    const dead = await startApi({ databaseDown: true });
    try {
      const stop = new AbortController();
      const sweeping = sweepUp(dead.services.pool, dead.services.log, stop.signal, { interval: 20 });
      const told = () => Promise.resolve(dead.lines.filter((line) => line.includes("sweep of")).length);
      await eventually("two tries", told, (tries) => tries >= 2);
      stop.abort();
      await sweeping;
    } finally {
      await dead.stop();
    }
  });
});
