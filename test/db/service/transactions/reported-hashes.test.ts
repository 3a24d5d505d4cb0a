import { expect } from "chai";
import {
  postponeReportedHash,
  removeOldReportedHashes,
  reportedHashesDue,
  storeReportedHash,
} from "../../../../db/service/transactions/reported-hashes.ts";
import { limits } from "../../../../domain/limits.ts";
import { requestCreation, useDatabase, wordOf } from "../../rows.ts";

describe("reported hashes", () => {
  const store = useDatabase();

  const ask = (word: string, tenant = "acme") =>
    store.write(async (tx) => {
      const id = await requestCreation(tx, word);
      await tx.query("update service.requests set tenant = $2 where id = $1", [id, tenant]);
      return id;
    });
  const report = (id: string, word: string) => store.write((tx) => storeReportedHash(tx, id, wordOf(word)));
  const flood = (id: string, count: number) =>
    store.pool.query(
      `insert into service.reported_hashes (request_id, hash, reported_at)
       select $1::uuid, sha256(($1::text || n)::bytea), now() - interval '1 hour' from generate_series(1, $2::int) n`,
      [id, count],
    );
  const stored = async (id: string) =>
    (await store.pool.query("select from service.reported_hashes where request_id = $1", [id])).rowCount;
  const due = async (limit = 20, ofOneRequest = 2) =>
    await reportedHashesDue(store.pool, limit, ofOneRequest);

  it("are kept of each request only as the newest few", async () => {
    const id = await ask("a");
    for (let nth = 0; nth < limits.reportedHashes + 5; nth += 1) await report(id, `t${nth}`);
    expect(await stored(id)).to.equal(limits.reportedHashes);
    const hashes = (await due(100, 100)).map(({ hash }) => hash);
    expect(hashes)
      .to.include(wordOf(`t${limits.reportedHashes + 4}`))
      .and.not.include(wordOf("t0"));
  });

  it("stay when they are reported again, and others go", async () => {
    const id = await ask("a");
    await report(id, "mine");
    for (let nth = 0; nth < limits.reportedHashes - 1; nth += 1) await report(id, `t${nth}`);
    await report(id, "mine");
    await report(id, "one more");
    expect((await due(100, 100)).map(({ hash }) => hash)).to.include(wordOf("mine"));
  });

  it("are looked at in turns of tenants and of requests, whatever an older version has stored", async () => {
    const [flooded, beside, others] = [await ask("a"), await ask("b"), await ask("c", "other")];
    await flood(flooded, 6_000);
    await report(beside, "beside");
    await report(others, "others");
    const seen = await due(4);
    expect(seen.slice(0, 3).map(({ requestId }) => requestId)).to.have.members([flooded, beside, others]);
    expect(await due(100)).to.have.length(4);
    expect(await due(100, 1_000)).to.have.length(limits.reportedHashes + 2);
  });

  it("wait their turn again when the node did not know them", async () => {
    const id = await ask("a");
    await report(id, "t");
    await postponeReportedHash(store.pool, id, wordOf("t"));
    expect(await due()).to.deep.equal([]);
  });

  it("are removed some at a time when they are too old", async () => {
    const [old, recent] = [await ask("a"), await ask("b")];
    await flood(old, 30);
    await report(recent, "t");
    await store.pool.query(
      "update service.reported_hashes set reported_at = reported_at - make_interval(hours => $2) where request_id = $1",
      [old, limits.reportedHashHours],
    );
    expect([
      await removeOldReportedHashes(store.pool, 20),
      await removeOldReportedHashes(store.pool, 20),
    ]).to.deep.equal([20, 10]);
    expect([await stored(old), await stored(recent)]).to.deep.equal([0, 1]);
  });
});
