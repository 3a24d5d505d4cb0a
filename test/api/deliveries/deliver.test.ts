import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import { type Receiver, startReceiver } from "./receiver.ts";
import { type DeliveryRig, secretOf, startDeliveryRig } from "./rig.ts";

describe("deliveries to webhooks", () => {
  let rig: DeliveryRig;
  let receiver: Receiver;

  beforeEach(async () => {
    rig = await startDeliveryRig();
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await rig.stop();
    await receiver.close();
  });

  it("sends each event once, signed, in the order of its subject", async () => {
    const secret = secretOf();
    await rig.webhook({ url: receiver.url, secret });
    rig.start();
    const subjects = Array.from({ length: 5 }, () => randomBytes(32));
    for (let round = 0; round < 10; round += 1) await rig.tell(subjects);
    await receiver.hasGot(50);
    const events = receiver.got.map(({ body, headers }) => {
      const event = new Webhook(secret).verify(body, headers as Record<string, string>) as {
        id: string;
        sequence: number;
        assetId: string;
      };
      expect(headers["webhook-id"]).to.equal(event.id);
      return event;
    });
    for (const [, some] of Map.groupBy(events, ({ assetId }) => assetId)) {
      const sequences = some.map(({ sequence }) => sequence);
      expect(sequences).to.deep.equal(sequences.toSorted((a, b) => a - b));
    }
    expect(new Set(events.map(({ sequence }) => sequence)).size).to.equal(50);
  });
});
