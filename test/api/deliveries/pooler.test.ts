import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { type Pooler, pgbouncerMissing, startPgbouncer } from "../../support/database/pgbouncer.ts";
import { expectOrder, type Receiver, startReceiver } from "./receiver.ts";
import { type DeliveryRig, startDeliveryRig } from "./rig.ts";

describe("deliveries of two processes behind a pooler in transaction mode", () => {
  let rig: DeliveryRig;
  let pooler: Pooler;
  let receiver: Receiver;

  before(async () => {
    if (pgbouncerMissing !== undefined) expect.fail(pgbouncerMissing);
    [rig, receiver] = await Promise.all([startDeliveryRig(), startReceiver()]);
    pooler = await startPgbouncer(rig.database.url, { connections: 6 });
  });
  after(async () => {
    await rig?.stop();
    await pooler?.stop();
    await receiver?.close();
  });

  it("come within a second or so, once and in order", async () => {
    await rig.webhook({ url: receiver.url });
    for (let count = 0; count < 2; count += 1) rig.start({}, pooler.url);
    const subjects = Array.from({ length: 5 }, () => randomBytes(32));
    const waits: number[] = [];
    for (let round = 1; round <= 8; round += 1) {
      const told = Date.now();
      await rig.tell(subjects);
      await receiver.hasGot(round * 5, 20);
      waits.push(Date.now() - told);
    }
    if (process.env["TEST_LOG"]) console.log(waits.join(" "));
    expect(waits.toSorted((a, b) => a - b)[4]).to.be.below(2_000);
    expectOrder(receiver);
    expect(new Set(receiver.got.map(({ headers }) => headers["webhook-id"])).size).to.equal(40);
  });
});
