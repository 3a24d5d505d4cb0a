import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { listDeliveries } from "../../../../db/service/deliveries/list.ts";
import { explaining, type Plan } from "../../plans.ts";
import { useDatabase } from "../../rows.ts";

describe("the list of a webhook's deliveries", () => {
  const store = useDatabase();
  const id = randomUUID();
  /** In the order of queueing; one in ten thousand is of the rare state. */
  const many = 20_000;

  before(async () => {
    await store.pool.query(
      `insert into service.webhooks (id, tenant, url, description, kinds, secret, after_sequence)
       select case n when 1 then $1::uuid else gen_random_uuid() end, 'acme', 'https://receiver.example/', '', '{link.added}', '', 0
       from generate_series(1, 3) n`,
      [id],
    );
    await store.pool.query(
      `insert into service.deliveries (webhook_id, subject, event_id, sequence, kind, state, ended_at)
       select id, sha256(n::text::bytea), gen_random_uuid(), n, 'asset.registered',
         case n % 10000 when 5000 then 'expired' else 'delivered' end, now()
       from generate_series(1, $1::int) n, service.webhooks order by n`,
      [many],
    );
    await store.pool.query("analyze service.deliveries");
  });

  for (const [state, sequences] of [
    [undefined, [many, many - 1, many - 2]],
    ["delivered", [many, many - 1, many - 2]],
    ["expired", [15_000, 5_000]],
    ["waiting", []],
  ] as const) {
    it(`reads few pages of the table for the newest that are ${state ?? "of any state"}`, async () => {
      const plans: Plan[] = [];
      const found = await listDeliveries(explaining(store.pool, plans), id, { state, size: 3 });
      expect(found.map(({ sequence }) => sequence)).to.deep.equal(sequences);
      const pages = plans.map((plan) => plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]);
      expect(pages.reduce((sum, count) => sum + count, 0)).to.be.below(60);
    });
  }

  it("goes on behind a place", async () => {
    const [, second] = await listDeliveries(store.pool, id, { size: 2 });
    const next = await listDeliveries(store.pool, id, { size: 2, before: second?.place });
    expect(next.map(({ sequence }) => sequence)).to.deep.equal([many - 2, many - 3]);
  });
});
