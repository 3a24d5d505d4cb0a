import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import { addressRules } from "../../../api/deliveries/addresses.ts";
import { listDeliveries } from "../../../db/service/deliveries/list.ts";
import { eventually } from "../../support/eventually.ts";
import { type Got, type Receiver, startReceiver } from "./receiver.ts";
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

  it("signs by both secrets while they are rotated, and by one afterwards", async () => {
    const [secret, previous] = [secretOf(), secretOf()];
    const id = await rig.webhook({ url: receiver.url, secret });
    const rotate = (hours: number) =>
      rig.pool.query(
        "update service.webhooks set previous_secret = $2, previous_until = now() + make_interval(hours => $3) where id = $1",
        [id, previous, hours],
      );
    const verified = ({ body, headers }: Got, by: string) => {
      try {
        return new Webhook(by).verify(body, headers as Record<string, string>) !== undefined;
      } catch {
        return false;
      }
    };
    await rotate(24);
    rig.start();
    await rig.tell([randomBytes(32)]);
    const [first] = await receiver.hasGot(1);
    expect([secret, previous].map((by) => verified(first as Got, by))).to.deep.equal([true, true]);
    expect(first?.headers["user-agent"]).to.match(/^asset-registry\/\d/);
    expect(first?.headers["content-type"]).to.equal("application/json");
    await rotate(-1);
    await rig.tell([randomBytes(32)]);
    const [, second] = await receiver.hasGot(2);
    expect([secret, previous].map((by) => verified(second as Got, by))).to.deep.equal([true, false]);
  });

  it("sends no request to an address that is not allowed, and says so in the log of deliveries", async () => {
    const id = await rig.webhook({ url: receiver.url.replace("http:", "https:") });
    rig.start({ rules: addressRules() });
    await rig.tell([randomBytes(32)]);
    const [delivery] = await eventually(
      "an attempt",
      () => listDeliveries(rig.pool, id, { size: 1 }),
      ([one]) => one?.attempts.length === 1,
    );
    expect(delivery?.attempts[0]).to.include({ problem: "ADDRESS_NOT_ALLOWED", status: undefined });
    expect(delivery?.nextAttemptAt).to.be.an.instanceOf(Date);
    expect(receiver.got).to.have.length(0);
  });

  it("leaves deliveries to others where it has no workers", async () => {
    await rig.webhook({ url: receiver.url });
    const idle = rig.start({ workers: 0 });
    await rig.tell([randomBytes(32)]);
    await idle.stop();
    expect(receiver.got).to.have.length(0);
    rig.start();
    await receiver.hasGot(1);
  });
});
