import { expect } from "chai";
import {
  createClient,
  type Delivery,
  type RegistryClient,
  verifyWebhook,
} from "../../../client/src/client.ts";
import { type Receiver, startReceiver } from "../../api/deliveries/receiver.ts";
import { type DeliveryRig, startDeliveryRig } from "../../api/deliveries/rig.ts";
import { keys, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { eventually } from "../../support/eventually.ts";

describe("webhooks by the client, against the service", () => {
  let rig: DeliveryRig;
  let api: TestApi;
  let receiver: Receiver;
  let client: RegistryClient;
  before(async () => {
    rig = await startDeliveryRig();
    api = await startApi({
      database: rig.database,
      environment: { WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" },
    });
    rig.start();
    receiver = await startReceiver();
    client = createClient({ url: api.url, apiKey: keys["tenant-a"] });
  });
  after(async () => {
    await receiver.close();
    await api.stop();
    await rig.stop();
  });

  it("sends a test, shows deliveries page by page, and sends again", async () => {
    const { webhooks } = client;
    const { id, secret } = await webhooks.create({ url: receiver.url });
    const test = await webhooks.test(id);
    expect(test).to.include({ kind: "webhook.test" });
    for (const name of ["one", "two"]) await client.createAsset({ name, author: owner.address });
    const got = await receiver.hasGot(3);
    const events = await Promise.all(
      got.map(({ headers, body }) => verifyWebhook({ headers, body, secrets: [secret] })),
    );
    const sequences = events.flatMap((event) => (event.kind === "webhook.test" ? [] : event.sequence));
    expect(sequences).to.have.length(2);

    const delivered = () =>
      eventually(
        "the deliveries",
        async () => {
          const found: Delivery[] = [];
          for await (const one of webhooks.deliveries(id, { state: "delivered", size: 2 })) found.push(one);
          return found;
        },
        (found) => found.length === 3,
      );
    const deliveries = await delivered();
    expect(deliveries.map(({ eventId }) => eventId)).to.have.members(events.map((event) => event.id));
    for (const { attempts } of deliveries) expect(attempts.map(({ status }) => status)).to.deep.equal([204]);

    const again = deliveries.find(({ sequence }) => sequence !== undefined);
    expect(await webhooks.redeliver(id, again?.id ?? "")).to.include({ eventId: again?.eventId });
    const [, , , repeated] = await receiver.hasGot(4);
    expect(repeated?.headers["webhook-id"]).to.equal(again?.eventId);
    const after = Math.min(...sequences) - 1;
    expect(await webhooks.redeliverAfter(id, after)).to.deep.equal({ after });
    await receiver.hasGot(6);
    await webhooks.remove(id);
  });
});
