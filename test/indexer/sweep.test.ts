import { expect } from "chai";
import { requestsExpired } from "../../db/service/requests/expired.ts";
import { createSweep } from "../../indexer/sweep.ts";
import { explaining, type Plan, pagesRead, tablesReadWhole } from "../db/plans.ts";
import { useDatabase } from "../db/rows.ts";

describe("the sweep over what has expired", () => {
  const store = useDatabase();
  const { signal } = new AbortController();

  const expireTogether = (count: number) =>
    store.pool.query(
      `insert into service.requests (id, tenant, kind, author, asset_id, chain_id, registry, calldata, expires_at,
         link_nonce)
       select gen_random_uuid(), 'acme', 'link', substring(sha256('a') for 20), sha256(n::text::bytea), 31337,
         substring(sha256('r') for 20), '\\x01', now() - interval '1 second', sha256(n::text::bytea)
       from generate_series(1, $1::int) n`,
      [count],
    );
  const counts = async () => {
    const { rows } = await store.pool.query(
      `select count(*) filter (where settled)::int as settled, count(*)::int as all,
         (select count(*)::int from service.history where reason = 'EXPIRED') as noted from service.requests`,
    );
    return rows[0];
  };

  it("notes however many expire together, each once", async () => {
    await expireTogether(1_200);
    await createSweep(store.pool)(signal);
    expect(await counts()).to.deep.equal({ settled: 1_200, all: 1_200, noted: 1_200 });
    await createSweep(store.pool)(signal);
    expect(await counts()).to.deep.equal({ settled: 1_200, all: 1_200, noted: 1_200 });
  });

  it("ends after a batch where the indexer is to stop", async () => {
    await expireTogether(1_200);
    await createSweep(store.pool)(AbortSignal.abort());
    expect((await counts()).settled).to.be.within(1, 300);
  });

  it("reads a batch however many have expired, and none that are settled", async () => {
    await expireTogether(20_000);
    await store.pool.query("update service.requests set settled = true where get_byte(asset_id, 0) < 128");
    await store.pool.query("vacuum analyze service.requests");
    const plans: Plan[] = [];
    expect(await requestsExpired(explaining(store.pool, plans), 50, undefined)).to.have.length(50);
    expect(tablesReadWhole(plans)).to.deep.equal([]);
    for (const plan of plans) expect(pagesRead(plan)).to.be.below(400);
  });
});
