import { randomBytes, randomUUID } from "node:crypto";
import { expect } from "chai";
import { inTransaction } from "../../../db/core/pool.ts";
import { queueEvents } from "../../../db/service/deliveries/queueing.ts";
import { startApi, type TestApi } from "../../support/api.ts";
import { tell } from "../../support/database/tell.ts";

describe("GET /metrics of deliveries to webhooks", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  const webhook = async () => {
    const id = randomUUID();
    await api.pool.query(
      `insert into service.webhooks (id, tenant, url, description, kinds, secret, after_sequence)
       values ($1, 'tenant-a', 'https://hooks.example/', '', '{asset.registered}', 'whsec_', 0)`,
      [id],
    );
    return id;
  };
  async function metrics(): Promise<Map<string, number>> {
    const text = await (await fetch(`${api.url}/metrics`)).text();
    return new Map(
      [...text.matchAll(/^asset_registry_(\S+) (\S+)$/gm)].map(([, name = "", value]) => [
        name,
        Number(value),
      ]),
    );
  }

  it("shows what waits, since when, and whose receivers fail", async () => {
    const empty = await metrics();
    for (const name of ["webhook_deliveries_waiting", "events_unqueued", "event_log_sequence"]) {
      expect(empty.get(name), name).to.equal(0);
    }
    const [well, failing, paused] = [await webhook(), await webhook(), await webhook()];
    const event = { kind: "asset.registered", assetId: `0x${randomBytes(32).toString("hex")}` } as const;
    await tell(api.pool, event, event);
    expect((await metrics()).get("events_unqueued")).to.equal(2);
    while ((await inTransaction(api.pool, queueEvents))?.hasMore);
    const age = (id: string, minutes: number) =>
      api.pool.query(
        "update service.deliveries set at = now() - make_interval(mins => $2) where webhook_id = $1",
        [id, minutes],
      );
    await Promise.all([age(well, 1), age(failing, 10), age(paused, 20)]);
    await api.pool.query("update service.delivery_lanes set failures = 3 where webhook_id = $1", [failing]);
    await api.pool.query("update service.webhook_progress set failures = 3 where webhook_id = $1", [failing]);
    await api.pool.query("update service.webhooks set state = 'paused', reason = 'asked' where id = $1", [
      paused,
    ]);
    const seen = await metrics();
    expect(seen.get("webhook_deliveries_waiting")).to.equal(4);
    expect(seen.get("event_log_sequence")).to.equal(2);
    expect(seen.get("events_unqueued")).to.equal(0);
    expect(seen.get('webhook_oldest_delivery_seconds{receivers="well"}')).to.be.within(60, 90);
    expect(seen.get('webhook_oldest_delivery_seconds{receivers="failing"}')).to.be.within(600, 630);
    expect(seen.get('webhooks{state="active"}')).to.equal(2);
    expect(seen.get('webhooks{state="paused"}')).to.equal(1);
    expect(seen.get(`webhook_failures{webhook="${failing}"}`)).to.equal(3);
    expect(seen.has(`webhook_failures{webhook="${well}"}`)).to.equal(false);
    await api.pool.query("delete from service.webhooks");
    expect((await metrics()).has(`webhook_failures{webhook="${failing}"}`)).to.equal(false);
  });
});
