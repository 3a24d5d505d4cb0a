import { expect } from "chai";
import { sweepOldAnswers } from "../../api/old-answers.ts";
import { startApi, type TestApi } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";

describe("old answers", () => {
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

  it("are removed all at the start and those that get old later, until it is stopped", async () => {
    await insert("old", 25, 2_500);
    await insert("young", 23);
    const stop = new AbortController();
    const sweeping = sweepOldAnswers(api.pool, api.services.log, stop.signal, 20);
    await eventually("the first sweep", left, (keys) => keys.join() === "young");
    await insert("later", 25);
    await eventually("the next sweep", left, (keys) => keys.join() === "young");
    stop.abort();
    await sweeping;
    await insert("last", 25);
    expect(await left()).to.deep.equal(["last", "young"]);
  });

  it("wait for the next time where the database does not answer", async () => {
    const dead = await startApi({ databaseDown: true });
    try {
      const stop = new AbortController();
      const sweeping = sweepOldAnswers(dead.services.pool, dead.services.log, stop.signal, 20);
      const told = () =>
        Promise.resolve(dead.lines.filter((line) => line.includes("could not be removed")).length);
      await eventually("two tries", told, (tries) => tries >= 2);
      stop.abort();
      await sweeping;
    } finally {
      await dead.stop();
    }
  });
});
