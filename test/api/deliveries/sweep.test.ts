import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { inTransaction } from "../../../db/core/pool.ts";
import { redeliverOne } from "../../../db/service/deliveries/again.ts";
import { listDeliveries } from "../../../db/service/deliveries/list.ts";
import { removeEmptyLanes, removeOldDeliveries } from "../../../db/service/deliveries/sweep.ts";
import { eventually } from "../../support/eventually.ts";
import { type Receiver, startReceiver, status } from "./receiver.ts";
import { type DeliveryRig, startDeliveryRig } from "./rig.ts";

describe("old deliveries", () => {
  let rig: DeliveryRig;
  let receiver: Receiver;
  beforeEach(async () => {
    [rig, receiver] = await Promise.all([startDeliveryRig(), startReceiver()]);
  });
  afterEach(async () => {
    await rig.stop();
    await receiver.close();
  });

  const states = async (id: string) =>
    (await listDeliveries(rig.pool, id, { size: 10 })).map(({ state }) => state).toSorted();
  const until = (id: string, wanted: string[]) =>
    eventually(
      "deliveries",
      () => states(id),
      (seen) => seen.join() === wanted.join(),
    );
  /** As retention does, which the triggers of the log would not let a test do at once. */
  const emptyLog = () =>
    rig.pool.query(
      "begin; set local session_replication_role = replica; delete from service.events where sequence < 3; commit",
    );

  it("are removed with their attempts 31 days after they ended, and never while they wait", async () => {
    const failing = randomBytes(32);
    receiver.answer = (got, response, request) =>
      status(got.body.includes(failing.toString("hex")) ? 500 : 204)(got, response, request);
    const id = await rig.webhook({ url: receiver.url });
    rig.start();
    await rig.tell([randomBytes(32), randomBytes(32), failing]);
    await until(id, ["delivered", "delivered", "waiting"]);
    await rig.pool.query(
      `update service.deliveries set at = now() - interval '40 days', ended_at = case sequence
         when 1 then now() - interval '32 days' when 2 then now() - interval '30 days' end`,
    );
    expect(await removeOldDeliveries(rig.pool, 10)).to.equal(1);
    expect(await states(id)).to.deep.equal(["delivered", "waiting"]);
    const { rows } = await rig.pool.query("select distinct delivery from service.delivery_attempts");
    expect(rows).to.have.length(2);

    expect(await removeEmptyLanes(rig.pool, 10)).to.equal(0);
    await rig.pool.query("update service.delivery_lanes set due_at = now() - interval '2 minutes'");
    expect(await removeEmptyLanes(rig.pool, 10)).to.equal(2);
  });

  it("expire where their event has left the log, and let what follows them go on", async () => {
    receiver.answer = status(500);
    const id = await rig.webhook({ url: receiver.url });
    const process = rig.start();
    const subject = randomBytes(32);
    await rig.tell([subject, subject, subject]);
    await receiver.hasGot(1);
    await process.stop();
    await emptyLog();
    receiver.answer = status(204);
    receiver.got.length = 0;
    await rig.pool.query("update service.delivery_lanes set due_at = now()");
    await rig.pool.query("update service.webhook_progress set wake = true, resume_at = null");
    rig.start();
    await until(id, ["delivered", "expired", "expired"]);
    expect(JSON.parse(receiver.got[0]?.body ?? "")).to.include({ sequence: 3 });
    const [expired] = (await listDeliveries(rig.pool, id, { size: 10, state: "expired" })).slice(-1);
    const again = await inTransaction(rig.pool, (tx) => redeliverOne(tx, id, expired?.id ?? ""));
    expect(again).to.equal(undefined);
  });
});
