import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { inTransaction } from "../../../db/core/pool.ts";
import { redeliverSince } from "../../../db/service/deliveries/again.ts";
import { hasEventsToQueue, queueEvents, tidyUp } from "../../../db/service/deliveries/queueing.ts";
import { type DeliveryRig, startDeliveryRig } from "./rig.ts";

describe("events are queued for webhooks", () => {
  let rig: DeliveryRig;
  beforeEach(async () => {
    rig = await startDeliveryRig();
  });
  afterEach(() => rig.stop());

  const url = "https://hooks.example/";
  const turn = () => inTransaction(rig.pool, queueEvents);
  async function queueAll(): Promise<void> {
    while ((await turn())?.hasMore);
  }
  async function queued(id: string): Promise<number[]> {
    const { rows } = await rig.pool.query<{ sequence: number }>(
      "select sequence from service.deliveries where webhook_id = $1 order by ordinal",
      [id],
    );
    return rows.map(({ sequence }) => sequence);
  }
  const set = (id: string, state: string) =>
    rig.pool.query(
      "update service.webhooks set state = $2, reason = case $2 when 'active' then null else 'asked' end where id = $1",
      [id, state],
    );

  it("by kind, tenant and asset, the child of a link too, and never those of a wallet", async () => {
    const [one, other] = [randomBytes(32), randomBytes(32)];
    const requests = await rig.webhook({ url, kinds: ["request.Received"] });
    const chain = await rig.webhook({ url, kinds: ["asset.registered", "link.added"] });
    const ofOne = await rig.webhook({ url, kinds: ["request.Received", "link.added"], assetId: one });
    const theirs = await rig.webhook({
      url,
      tenant: "other",
      kinds: ["request.Received", "wallet.connected"],
    });
    await rig.tell([one, other], "request.Received", "acme"); // 1, 2
    await rig.tell([one], "request.Received", "other"); // 3
    await rig.tell([one], "request.Confirmed", "acme"); // 4
    await rig.tell([one, other]); // 5, 6
    await rig.pool.query(
      "insert into service.events (kind, asset_id, target_id) values ('link.added', $1, $2)", // 7
      [other, one],
    );
    await rig.pool.query(
      "insert into service.events (kind, issuer, subject) values ('wallet.connected', 'i', 's')", // 8
    );
    await queueAll();
    expect(await queued(requests)).to.deep.equal([1, 2]);
    expect(await queued(chain)).to.deep.equal([5, 6, 7]);
    expect(await queued(ofOne)).to.deep.equal([1, 7]);
    expect(await queued(theirs)).to.deep.equal([3]);
  });

  it("once, by several processes at a time", async () => {
    const ids = await Promise.all([rig.webhook({ url }), rig.webhook({ url })]);
    const subjects = Array.from({ length: 50 }, () => randomBytes(32));
    for (let round = 0; round < 20; round += 1) {
      await Promise.all([rig.tell(subjects), turn(), turn(), turn()]);
    }
    await queueAll();
    for (const id of ids) {
      expect(await queued(id)).to.deep.equal(Array.from({ length: 1_000 }, (_, place) => place + 1));
    }
  });

  it("after the sequence number that a webhook begins at", async () => {
    await rig.tell([randomBytes(32), randomBytes(32)]);
    const late = await rig.webhook({ url, after: 1 });
    // The log has grown although the cursor has not got there.
    const later = await rig.webhook({ url, after: 2 });
    await rig.tell([randomBytes(32)]);
    await queueAll();
    expect(await queued(late)).to.deep.equal([2, 3]);
    expect(await queued(later)).to.deep.equal([3]);
  });

  it("all of them, although it is asked for those again that are not queued yet", async () => {
    const id = await rig.webhook({ url });
    await turn();
    await rig.tell(Array.from({ length: 5 }, () => randomBytes(32)));
    await inTransaction(rig.pool, (tx) => redeliverSince(tx, id, 4));
    await queueAll();
    expect(await queued(id)).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it("once they are active again where they were paused, and not at all where they had ended", async () => {
    const [paused, ended] = await Promise.all([rig.webhook({ url }), rig.webhook({ url })]);
    await rig.tell([randomBytes(32)]);
    await queueAll();
    await set(paused, "paused");
    await set(ended, "ended");
    for (let round = 0; round < 3; round += 1) {
      await rig.tell([randomBytes(32)]);
      await queueAll();
    }
    expect(await queued(paused)).to.deep.equal([1]);
    await set(paused, "active");
    await rig.pool.query(
      "update service.webhooks set state = 'active', reason = null, after_sequence = 4 where id = $1",
      [ended],
    );
    await rig.tell([randomBytes(32)]);
    await queueAll();
    expect(await queued(paused)).to.deep.equal([1, 2, 3, 4, 5]);
    expect(await queued(ended)).to.deep.equal([1, 5]);
  });

  it("and says how long it looked at those alone that cannot go on", async () => {
    const crowded = await rig.webhook({ url });
    for (let round = 0; round < 5; round += 1) {
      await rig.tell(Array.from({ length: 500 }, () => randomBytes(32)));
    }
    await queueAll();
    await rig.pool.query("update service.webhook_progress set position = 1");
    const look = (catchesUp?: boolean) => inTransaction(rig.pool, (tx) => queueEvents(tx, catchesUp));
    expect((await look())?.wasted).to.be.above(0);
    expect(await hasEventsToQueue(rig.pool, true)).to.equal(true);
    expect(await hasEventsToQueue(rig.pool, false)).to.equal(false);
    await rig.pool.query("update service.delivery_lanes set waiting = 0");
    // Rests from them, until the next look finds that they can go on.
    expect(await look(false)).to.deep.equal({ webhooks: [], hasMore: false, wasted: 0 });
    expect(await look()).to.deep.include({ webhooks: [crowded], hasMore: true, wasted: 0 });
  });

  it("no more than a receiver has got through, and the rest later", async () => {
    const subjects = Array.from({ length: 500 }, () => randomBytes(32));
    const emptied = (id: string) =>
      rig.pool.query("update service.delivery_lanes set waiting = 0 where webhook_id = $1", [id]);
    const slow = await rig.webhook({ url });
    for (let round = 0; round < 8; round += 1) await rig.tell(subjects);
    await queueAll();
    expect(await queued(slow)).to.have.length(4_000);
    await inTransaction(rig.pool, async (tx) => {
      await queueEvents(tx);
      await tidyUp(tx);
    });
    await rig.tell(subjects);
    await turn();
    expect(await queued(slow)).to.have.length(4_000);

    const late = await rig.webhook({ url });
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect((await queued(late)).length).to.be.within(2_000, 2_500);

    await Promise.all([emptied(slow), emptied(late)]);
    await queueAll();
    await emptied(late);
    await queueAll();
    const all = Array.from({ length: 4_500 }, (_, place) => place + 1);
    expect(await queued(slow)).to.deep.equal(all);
    expect(await queued(late)).to.deep.equal(all);
  });
});
