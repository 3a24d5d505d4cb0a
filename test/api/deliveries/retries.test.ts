import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { inTransaction } from "../../../db/core/pool.ts";
import { queueTest, redeliverOne, redeliverSince } from "../../../db/service/deliveries/again.ts";
import { listDeliveries } from "../../../db/service/deliveries/list.ts";
import { eventually } from "../../support/eventually.ts";
import { accept, expectOrder, type Receiver, startReceiver, status } from "./receiver.ts";
import { type DeliveryRig, startDeliveryRig } from "./rig.ts";

describe("deliveries that fail", () => {
  let rig: DeliveryRig;
  let receiver: Receiver;

  beforeEach(async () => {
    [rig, receiver] = await Promise.all([startDeliveryRig(), startReceiver()]);
  });
  afterEach(async () => {
    await rig.stop();
    await receiver.close();
  });

  type State = { state: string; reason: string | null; failing_since: Date | null; resume_at: Date | null };
  const stateOf = async (id: string) => {
    const { rows } = await rig.pool.query<State>(
      `select state, reason, failing_since, resume_at from service.webhooks
       join service.webhook_progress on webhook_id = id where id = $1`,
      [id],
    );
    return rows[0] as State;
  };
  const until = (id: string, what: string, wanted: (state: State) => boolean) =>
    eventually(what, () => stateOf(id), wanted, 20);
  /** Lets time pass for what waits. */
  const makeDue = async () => {
    await rig.pool.query("update service.webhook_progress set resume_at = now() where resume_at is not null");
    await rig.pool.query("update service.delivery_lanes set due_at = now()");
    await rig.pool.query("update service.webhook_progress set wake = true");
  };
  const log = (id: string) => listDeliveries(rig.pool, id, { size: 100 });
  const idsOf = () => receiver.got.map(({ headers }) => headers["webhook-id"]);

  it("are tried again with the same id and body, and hold up their own subject alone", async () => {
    const [bad, good] = [randomBytes(32), randomBytes(32)];
    let failures = 2;
    receiver.answer = (got, response, request) => {
      const isBad = got.body.includes(bad.toString("hex"));
      if (isBad && failures-- > 0) status(500, {}, "not now")(got, response, request);
      else accept(got, response, request);
    };
    const id = await rig.webhook({ url: receiver.url });
    rig.start();
    await rig.tell([bad, bad, good, good]);
    await receiver.hasGot(3);
    await eventually(
      "both of the other subject",
      async () => idsOf().length,
      (count) => count >= 3,
    );
    await makeDue();
    await receiver.hasGot(4);
    await makeDue();
    await receiver.hasGot(6);
    const bodies = receiver.got.map(({ body }) => body).filter((body) => body.includes(bad.toString("hex")));
    expect(bodies).to.have.length(4);
    expect(new Set(bodies.slice(0, 3)).size, "repeated").to.equal(1);
    expect(bodies[3]).not.to.equal(bodies[0]);
    const deliveries = await eventually(
      "all are delivered",
      () => log(id),
      (all) => all.every(({ state }) => state === "delivered"),
    );
    const [first] = deliveries.toReversed();
    expect(first?.attempts.map(({ status, problem, answer }) => [status, problem, answer])).to.deep.equal([
      [500, "NOT_ACCEPTED", "not now"],
      [500, "NOT_ACCEPTED", "not now"],
      [204, undefined, ""],
    ]);
  });

  it("are left to the log while the receiver is down, and all go out in order when it is back", async () => {
    const subjects = Array.from({ length: 4 }, () => randomBytes(32));
    receiver.answer = status(503);
    const id = await rig.webhook({ url: receiver.url });
    rig.start();
    await rig.tell(subjects);
    await until(id, "the webhook is failing", ({ failing_since }) => failing_since !== null);
    await eventually(
      "the webhook waits",
      async () => {
        await rig.pool.query("update service.delivery_lanes set due_at = now()");
        await rig.pool.query("update service.webhook_progress set wake = true");
        return await stateOf(id);
      },
      ({ resume_at }) => resume_at !== null,
    );
    const before = (await log(id)).length;
    for (let round = 0; round < 10; round += 1) await rig.tell(subjects);
    await eventually(
      "the events are looked at",
      async () => {
        const { rows } = await rig.pool.query<{ sequence: number }>(
          "select sequence from service.delivery_cursor",
        );
        return rows[0]?.sequence;
      },
      (sequence) => sequence === 44,
    );
    expect(await log(id)).to.have.length(before);
    receiver.answer = accept;
    receiver.got.length = 0;
    await makeDue();
    await eventually(
      "all arrive",
      async () => new Set(idsOf()).size,
      (count) => count === 44,
    );
    expectOrder(receiver);
    await until(
      id,
      "the webhook is well",
      ({ failing_since, resume_at }) => failing_since === null && resume_at === null,
    );
  });

  it("wait no less because the receiver asks for no wait at all", async () => {
    receiver.answer = status(503, { "Retry-After": "0" });
    const id = await rig.webhook({ url: receiver.url });
    rig.start();
    await rig.tell([randomBytes(32), randomBytes(32), randomBytes(32)]);
    const { resume_at } = await until(
      id,
      "the webhook waits",
      (state) => (state.resume_at?.getTime() ?? 0) > Date.now() + 1_000,
    );
    expect((resume_at?.getTime() ?? 0) - Date.now()).to.be.within(1_000, 5_000);
    expect(receiver.got).to.have.length(2);
  });

  it("wait as long as the receiver asks for", async () => {
    receiver.answer = status(429, { "Retry-After": "3600" });
    const id = await rig.webhook({ url: receiver.url });
    rig.start();
    await rig.tell([randomBytes(32)]);
    const { resume_at } = await until(id, "the webhook waits", (state) => state.resume_at !== null);
    expect((resume_at?.getTime() ?? 0) - Date.now()).to.be.within(3_500_000, 3_600_000);
    // A test goes out nevertheless.
    receiver.answer = accept;
    await inTransaction(rig.pool, (tx) => queueTest(tx, id));
    await eventually(
      "both arrive",
      async () => receiver.got.length,
      (count) => count === 3,
    );
    expect(
      JSON.parse(receiver.got.find(({ body }) => body.includes("webhook.test"))?.body ?? ""),
    ).to.deep.include({
      kind: "webhook.test",
      data: { webhookId: id },
    });
  });

  it("are tried at once where the webhook has another URL", async () => {
    const other = await startReceiver();
    receiver.answer = status(503, { "Retry-After": "3600" });
    const id = await rig.webhook({ url: receiver.url });
    rig.start();
    await rig.tell([randomBytes(32)]);
    await until(id, "the webhook waits", (state) => state.resume_at !== null);
    await rig.pool.query("update service.webhooks set url = $2 where id = $1", [id, other.url]);
    await other.hasGot(1, 20);
    expect(other.got[0]?.headers["webhook-id"]).to.equal(idsOf()[0]);
    await other.close();
  });

  it("end the webhook by 410", async () => {
    receiver.answer = status(410);
    const id = await rig.webhook({ url: receiver.url });
    rig.start();
    await rig.tell([randomBytes(32)]);
    expect(await until(id, "the webhook ends", ({ state }) => state === "ended")).to.include({
      reason: "gone",
    });
  });

  it("pause the webhook after three days, which then goes on where it stopped", async () => {
    receiver.answer = status(500);
    const id = await rig.webhook({ url: receiver.url });
    rig.start();
    const subject = randomBytes(32);
    await rig.tell([subject, subject]);
    await receiver.hasGot(1);
    await until(id, "the webhook is failing", ({ failing_since }) => failing_since !== null);
    await rig.pool.query("update service.delivery_lanes set failing_since = now() - interval '72 hours'");
    await makeDue();
    expect(await until(id, "the webhook pauses", ({ state }) => state === "paused")).to.include({
      reason: "failing",
    });
    await rig.tell([subject]);
    receiver.answer = accept;
    receiver.got.length = 0;
    await rig.pool.query(
      "update service.webhooks set state = 'active', reason = null, failing_since = null where id = $1",
      [id],
    );
    await receiver.hasGot(3);
    expectOrder(receiver);
    expect(new Set(idsOf()).size).to.equal(3);
  });

  it("and those that succeeded can be queued again, one or all since a sequence number, in order", async () => {
    const subjects = [randomBytes(32), randomBytes(32)];
    const id = await rig.webhook({ url: receiver.url });
    rig.start();
    for (let round = 0; round < 5; round += 1) await rig.tell(subjects);
    await receiver.hasGot(10);
    const [last] = await log(id);
    const again = await inTransaction(rig.pool, (tx) => redeliverOne(tx, id, last?.id ?? ""));
    expect(again).to.deep.include({ eventId: last?.eventId, state: "waiting", kind: "asset.registered" });
    await receiver.hasGot(11);
    expect(idsOf()[10]).to.equal(last?.eventId);
    receiver.got.length = 0;
    await inTransaction(rig.pool, (tx) => redeliverSince(tx, id, 4));
    await receiver.hasGot(6);
    expectOrder(receiver);
    expect(receiver.got.map(({ body }) => JSON.parse(body).sequence).toSorted()).to.deep.equal([
      10, 5, 6, 7, 8, 9,
    ]);
    expect(await inTransaction(rig.pool, (tx) => redeliverOne(tx, id, id))).to.equal(undefined);
  });
});
