import { expect } from "chai";
import { verifyWebhook } from "../../../client/src/webhooks/verify.ts";
import { startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { type Got, type Receiver, startReceiver, status } from "../deliveries/receiver.ts";
import { type DeliveryRig, startDeliveryRig } from "../deliveries/rig.ts";

/** From the registration of a webhook to what its receiver gets, all by HTTP. */
describe("a webhook and its receiver", () => {
  let rig: DeliveryRig;
  let api: TestApi;
  let receiver: Receiver;

  before(async () => {
    rig = await startDeliveryRig();
    api = await startApi({
      database: rig.database,
      environment: { WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" },
    });
    rig.start();
  });
  after(async () => {
    await api.stop();
    await rig.stop();
  });
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await api.pool.query("delete from service.webhooks");
    await receiver.close();
  });

  async function register(fields: object = {}) {
    const { value, error } = await api.post("/webhooks/", { url: receiver.url, ...fields });
    expect(error?.message).to.equal(undefined);
    return { ...value, path: `/webhooks/${value.id}` } as { id: string; secret: string; path: string };
  }

  /** Something happens: a request is stored. @returns the id of the asset */
  const happen = async (key?: string): Promise<string> =>
    (
      await api.post(
        "/assets/",
        { name: "Lease", author: owner.address },
        ...(key === undefined ? [] : [{ key }]),
      )
    ).value.id;

  const verify = ({ headers, body }: Got, secrets: string) => verifyWebhook({ headers, body, secrets });
  const assetsGot = () => receiver.got.map(({ body }) => JSON.parse(body).assetId as string);

  const deliveries = async (path: string, state: string, count: number) =>
    await eventually(
      `${count} ${state} deliveries`,
      async () => (await api.get(`${path}/deliveries/?state=${state}`)).value,
      (list) => list.length >= count,
    );

  const stateOf = async (path: string, wanted: string) =>
    await eventually(
      `a webhook that is ${wanted}`,
      async () => (await api.get(path)).value,
      ({ state }) => state === wanted,
    );

  it("is sent what happens from then on, as GET /events/ answers it, signed", async () => {
    await happen();
    const { secret, path } = await register();
    const asset = await happen();
    const [got] = (await receiver.hasGot(1)) as [Got];
    const event = await verify(got, secret);
    expect(event).to.include({ kind: "request.Received", assetId: asset });
    expect(got.headers["webhook-id"]).to.equal(event.id);
    const response = await fetch(`${api.url}/events/?assetId=${asset}`, {
      headers: { "X-API-KEY": "key-of-tenant-a-0123456789abcdef" },
    });
    expect(await response.text(), "the same bytes").to.include(got.body);
    const [delivered] = await deliveries(path, "delivered", 1);
    expect(delivered).to.include({ eventId: event.id, kind: "request.Received" });
    expect(delivered.attempts).to.have.lengthOf(1);
    expect(delivered.attempts[0]).to.include({ status: 204 });
    expect(receiver.got).to.have.lengthOf(1);
  });

  it("is sent nothing of another tenant, and of the chain what it names", async () => {
    await register({ kinds: ["request", "asset"] });
    await happen("key-of-tenant-b-0123456789abcdef");
    await rig.tell([Buffer.alloc(32, 7)], "link.added");
    await rig.tell([Buffer.alloc(32, 8)], "asset.registered");
    const mine = await happen();
    await receiver.hasGot(2);
    expect(assetsGot()).to.have.members([`0x${"08".repeat(32)}`, mine]);
  });

  it("is sent what is about one asset alone where it names one", async () => {
    const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    await register({ kinds: ["asset"], assetId: `0x${"02".repeat(32)}` });
    await rig.tell([one, other, one, other]);
    await receiver.hasGot(2);
    expect(assetsGot()).to.deep.equal(Array(2).fill(`0x${"02".repeat(32)}`));
  });

  it("is sent a test, and the same event again with the same id and bytes", async () => {
    const { id, secret, path } = await register();
    const { value: test } = await api.post(`${path}/test`);
    const [first] = (await receiver.hasGot(1)) as [Got];
    expect(await verify(first, secret)).to.deep.include({ kind: "webhook.test", data: { webhookId: id } });
    expect(first.headers["webhook-id"]).to.equal(test.eventId);
    await happen();
    await receiver.hasGot(2);
    const [delivered] = await deliveries(path, "delivered", 2);
    expect((await api.post(`${path}/deliveries/${delivered.id}/redeliver`)).status).to.equal(202);
    const [, once, again] = (await receiver.hasGot(3)) as [Got, Got, Got];
    expect(again.body).to.equal(once.body);
    expect(again.headers["webhook-id"]).to.equal(once.headers["webhook-id"]);
  });

  it("is signed by both secrets while they are rotated", async () => {
    const { secret, path } = await register();
    const { value: rotated } = await api.post(`${path}/secret`);
    await happen();
    const [got] = (await receiver.hasGot(1)) as [Got];
    expect(String(got.headers["webhook-signature"]).split(" ")).to.have.lengthOf(2);
    const [byOld, byNew] = [await verify(got, secret), await verify(got, rotated.secret)];
    expect(byOld).to.deep.equal(byNew);
  });

  it("keeps what happens while it is paused, and goes on in order", async () => {
    const { path } = await register();
    await api.patch(path, { state: "paused" });
    const assets = [await happen(), await happen()];
    await api.patch(path, { state: "active" });
    assets.push(await happen());
    await receiver.hasGot(3);
    expect(assetsGot()).to.have.members(assets);
    expect(new Set(receiver.got.map(({ headers }) => headers["webhook-id"])).size).to.equal(3);
  });

  it("ends where its receiver answers 410, begins anew, and gets what it missed when asked for", async () => {
    receiver.answer = status(410);
    const { path } = await register();
    const refused = await happen();
    expect(await stateOf(path, "ended")).to.include({ reason: "gone" });
    const missed = await happen();
    receiver.answer = (_got, response) => void response.writeHead(204).end();
    const before = (await api.get("/events/?size=200")).value.find(
      (one: { assetId: string }) => one.assetId === refused,
    ).sequence;
    await api.patch(path, { state: "active" });
    const next = await happen();
    await eventually(
      "the next event",
      async () => assetsGot(),
      (assets) => assets.includes(next),
    );
    expect(assetsGot()).to.not.include(missed);
    await api.post(`${path}/redeliver`, { after: before });
    await eventually(
      "the missed one",
      async () => assetsGot(),
      (assets) => assets.includes(missed),
    );
  });

  it("shows why an attempt failed, and delivers when the receiver is right again", async () => {
    receiver.answer = status(500, {}, "database is down");
    const { path } = await register();
    await happen();
    const [waiting] = await eventually(
      "a failed attempt",
      async () => (await api.get(`${path}/deliveries/`)).value,
      ([first]) => first?.attempts.length > 0,
    );
    expect(waiting).to.include({ state: "waiting" });
    expect(waiting.nextAttemptAt).to.be.a("string");
    expect(waiting.attempts[0]).to.include({
      status: 500,
      problem: "NOT_ACCEPTED",
      answer: "database is down",
    });
    expect((await api.get(path)).value.failingSince).to.be.a("string");
    receiver.answer = (_got, response) => void response.writeHead(204).end();
    const [delivered] = await deliveries(path, "delivered", 1);
    expect(delivered.id).to.equal(waiting.id);
    expect(delivered.attempts.at(-1)).to.include({ status: 204 });
    expect((await api.get(path)).value).to.not.have.property("failingSince");
  });

  it("is sent what waits at once at its new URL", async () => {
    receiver.answer = status(500);
    const { path } = await register();
    await happen();
    await receiver.hasGot(1);
    const right = await startReceiver();
    try {
      await api.patch(path, { url: right.url });
      await right.hasGot(1);
      expect(right.got[0]?.body).to.equal(receiver.got[0]?.body);
      await deliveries(path, "delivered", 1);
    } finally {
      await right.close();
    }
  });

  it("is sent nothing more once it is removed", async () => {
    receiver.answer = status(500);
    const { path } = await register();
    await happen();
    await receiver.hasGot(1);
    await api.remove(path);
    const other = await register();
    receiver.answer = (_got, response) => void response.writeHead(204).end();
    const last = await happen();
    await deliveries(other.path, "delivered", 1);
    expect(assetsGot().slice(1)).to.deep.equal([last]);
  });
});
