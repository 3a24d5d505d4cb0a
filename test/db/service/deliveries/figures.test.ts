import { expect } from "chai";
import { readDeliveryFigures } from "../../../../db/service/deliveries/figures.ts";
import { type DeliveryRig, startDeliveryRig } from "../../../api/deliveries/rig.ts";
import { explaining, type Plan } from "../../plans.ts";

describe("the figures of deliveries", () => {
  let rig: DeliveryRig;
  beforeEach(async () => {
    rig = await startDeliveryRig();
  });
  afterEach(() => rig.stop());

  /** Lets deliveries wait, each in a lane of its own, the newest for so many seconds. */
  async function wait(webhookId: string, { count = 1, seconds = 0, failures = 0 }): Promise<void> {
    await rig.pool.query(
      `with queued as (
         insert into service.deliveries (webhook_id, event_id, kind, subject, at)
         select $1, id, 'webhook.test', uuid_send(id), now() - make_interval(secs => $3)
         from (select gen_random_uuid() as id from generate_series(1, $2::int)) given returning webhook_id, subject)
       insert into service.delivery_lanes (webhook_id, subject, waiting, failures)
       select webhook_id, subject, 1, $4 from queued`,
      [webhookId, count, seconds, failures],
    );
  }
  const url = "https://receiver.example/";

  it("tell the age of what waits for receivers that are well, and for those that fail", async () => {
    const [well, failing, paused] = [
      await rig.webhook({ url }),
      await rig.webhook({ url }),
      await rig.webhook({ url }),
    ];
    expect((await readDeliveryFigures(rig.pool)).oldest).to.deep.equal({ well: 0, failing: 0 });
    await wait(paused, { seconds: 9_000 });
    await rig.pool.query("update service.webhooks set state = 'paused', reason = 'asked' where id = $1", [
      paused,
    ]);
    // In the list of its webhook before the one that is well.
    await wait(well, { seconds: 500, failures: 1 });
    await wait(well, { seconds: 100 });
    await wait(well, { seconds: 50 });
    const { oldest, waiting } = await readDeliveryFigures(rig.pool);
    expect(waiting).to.equal(3);
    expect(oldest.well).to.be.within(100, 130);
    expect(oldest.failing).to.be.within(500, 530);

    await wait(failing, { seconds: 1_000 });
    await rig.pool.query(
      "update service.webhook_progress set resume_at = now() + interval '1 minute' where webhook_id = $1",
      [failing],
    );
    const later = (await readDeliveryFigures(rig.pool)).oldest;
    expect(later.well).to.be.within(100, 130);
    expect(later.failing).to.be.within(1_000, 1_030);
  });

  it("are read without all that waits for webhooks that are paused", async () => {
    const paused = await rig.webhook({ url });
    await wait(paused, { count: 30_000, seconds: 60 });
    await rig.pool.query("update service.webhooks set state = 'paused', reason = 'asked'");
    await rig.pool.query("analyze service.deliveries, service.delivery_lanes, service.webhooks");
    const plans: Plan[] = [];
    const { waiting, oldest } = await readDeliveryFigures(explaining(rig.pool, plans));
    const pages = plans.map((plan) => plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]);
    // One look at each lane would be 90,000.
    expect(pages.reduce((sum, count) => sum + count, 0)).to.be.below(5_000);
    expect({ waiting, oldest }).to.deep.equal({ waiting: 0, oldest: { well: 0, failing: 0 } });
  });
});
