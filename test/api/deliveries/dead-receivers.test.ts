import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { type Receiver, startReceiver } from "./receiver.ts";
import { type DeliveryRig, startDeliveryRig } from "./rig.ts";

describe("a webhook beside a hundred whose receivers are dead", () => {
  let rig: DeliveryRig;
  let healthy: Receiver;
  let dead: Receiver;

  before(async () => {
    rig = await startDeliveryRig();
    [healthy, dead] = await Promise.all([startReceiver(), startReceiver()]);
    // Each attempt takes its full 15 seconds.
    dead.answer = (_got, response) => void response.writeHead(200).write("x");
  });
  after(async () => {
    await rig.stop();
    await Promise.all([healthy.close(), dead.close()]);
  });

  it("gets its events at once, whenever the others began to fail", async () => {
    for (let one = 0; one < 100; one += 1) await rig.webhook({ url: dead.url });
    await rig.webhook({ url: healthy.url });
    rig.start({ workers: 32 });
    const waits: number[] = [];
    for (let event = 1; event <= 20; event += 1) {
      const told = Date.now();
      await rig.tell([randomBytes(32)]);
      await healthy.hasGot(event, 20);
      waits.push((healthy.got.at(-1)?.at ?? Number.NaN) - told);
    }
    expect(dead.got.length).to.be.at.least(100);
    // While all turn out to be slow at the same time, places are free again after half a second each.
    expect(Math.max(...waits)).to.be.below(5_000);
    expect(waits.toSorted((a, b) => a - b)[10]).to.be.below(1_000);
    if (process.env["TEST_LOG"]) console.log(waits.join(" "), dead.got.length);
  });
});
