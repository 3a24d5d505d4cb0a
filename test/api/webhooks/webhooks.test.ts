import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { insertKey, keyDigest } from "../../../db/service/api-keys.ts";
import { eventKinds, requestKinds, walletKinds } from "../../../domain/events/kinds.ts";
import { limits } from "../../../domain/limits.ts";
import { expectError, keys, startApi, type TestApi } from "../../support/api.ts";

const url = "https://receiver.example/events";
const assetId = `0x${"ab".repeat(32)}`;
const chainKinds = eventKinds.filter((kind) => /^(asset|link)\./.test(kind));

describe("webhooks", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());
  afterEach(() => api.pool.query("delete from service.webhooks"));

  const theirs = { key: keys["tenant-b"] };

  async function create(fields: object = {}) {
    const { status, value, error } = await api.post("/webhooks/", { url, ...fields });
    expect(status, error?.message).to.equal(201);
    return value;
  }

  const read = async (id: string) => (await api.get(`/webhooks/${id}`)).value;

  it("are made with a secret, which is shown this once", async () => {
    const { secret, ...webhook } = await create();
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).to.include({ url, description: "", state: "active" });
    expect(await read(webhook.id)).to.deep.equal(webhook);
    expect((await api.get("/webhooks/")).value).to.deep.equal([webhook]);
    expect((await create()).secret).to.not.equal(secret);
  });

  it("are sent the kinds of requests, unless others are named", async () => {
    expect((await create()).kinds).to.deep.equal(requestKinds);
    expect((await create({ kinds: ["link.added", "asset.final", "link.added"] })).kinds).to.deep.equal([
      "link.added",
      "asset.final",
    ]);
    expect((await create({ kinds: ["asset", "link"] })).kinds).to.deep.equal(chainKinds);
    expect((await create({ kinds: ["request", "asset", "link"] })).kinds).to.have.lengthOf(
      eventKinds.length - walletKinds.length,
    );
  });

  it("change what is named, and keep the rest", async () => {
    const { secret, ...made } = await create({ description: "first", assetId });
    expect(made.assetId).to.equal(assetId);
    const changes = [
      { url: "https://other.example/" },
      { description: "" },
      { kinds: ["request.Confirmed"] },
      { assetId: `0x${"cd".repeat(32)}` },
    ];
    let now = made;
    for (const change of changes) {
      const { value } = await api.patch(`/webhooks/${made.id}`, change);
      expect(value).to.deep.equal({ ...now, ...change, updatedAt: value.updatedAt });
      now = value;
    }
    const { value } = await api.patch(`/webhooks/${made.id}`, { assetId: null });
    expect(value).to.not.have.property("assetId");
    expect(await read(made.id)).to.deep.equal(value);
    expect((await api.patch(`/webhooks/${made.id}`, {})).value).to.deep.equal(value);
  });

  it("are paused and go on, and say why", async () => {
    const { id } = await create();
    const { value: paused } = await api.patch(`/webhooks/${id}`, { state: "paused" });
    expect(paused).to.include({ state: "paused", reason: "asked" });
    const { value: active } = await api.patch(`/webhooks/${id}`, { state: "active" });
    expect(active.state).to.equal("active");
    expect(active).to.not.have.property("reason");
  });

  it("that have ended are not paused, and begin anew", async () => {
    const { id } = await create();
    const end = "update service.webhooks set state = 'ended', reason = 'gone' where id = $1";
    await api.pool.query(end, [id]);
    expect(await read(id)).to.include({ state: "ended", reason: "gone" });
    expectError(await api.patch(`/webhooks/${id}`, { state: "paused" }), 409, "WEBHOOK_NOT_ACTIVE");
    expect((await api.patch(`/webhooks/${id}`, { state: "active" })).value.state).to.equal("active");
  });

  it("get another secret, and say until when the old one signs too", async () => {
    const { id, secret } = await create();
    const before = Date.now();
    const { value: rotated } = await api.post(`/webhooks/${id}/secret`);
    expect(rotated.secret)
      .to.match(/^whsec_/)
      .and.not.equal(secret);
    expect(Date.parse(rotated.previousSecretUntil) - before).to.be.within(86_390_000, 86_500_000);
    const { rows } = await api.pool.query("select * from service.webhooks where id = $1", [id]);
    expect(rows[0]).to.include({ secret: rotated.secret, previous_secret: secret });
    const shown = await read(id);
    expect(shown).to.not.have.property("secret");
    expect(shown.previousSecretUntil).to.equal(rotated.previousSecretUntil);
    await api.pool.query("update service.webhooks set previous_until = now() where id = $1", [id]);
    expect(await read(id)).to.not.have.property("previousSecretUntil");
  });

  it("are removed, and unknown from then on", async () => {
    const { id } = await create();
    expect((await api.remove(`/webhooks/${id}`)).value).to.equal(null);
    expectError(await api.remove(`/webhooks/${id}`), 404, "WEBHOOK_NOT_FOUND");
    expectError(await api.get(`/webhooks/${id}`), 404, "WEBHOOK_NOT_FOUND");
  });

  it("of a tenant do not exist for another", async () => {
    const { secret, ...webhook } = await create();
    const path = `/webhooks/${webhook.id}`;
    expect((await api.get("/webhooks/", theirs)).value).to.deep.equal([]);
    for (const answer of [
      await api.get(path, theirs),
      await api.patch(path, { state: "paused" }, theirs),
      await api.post(`${path}/secret`, undefined, theirs),
      await api.remove(path, theirs),
    ]) {
      expectError(answer, 404, "WEBHOOK_NOT_FOUND");
    }
    expect(await read(webhook.id)).to.deep.equal(webhook);
  });

  it("need a key of their scope, which opens nothing else", async () => {
    const key = "a-key-that-may-read-and-write-012345";
    const made = { id: randomUUID(), tenant: "tenant-a", name: "", digest: keyDigest(key) };
    await insertKey(api.pool, made, "test");
    const refused = await api.get("/webhooks/", { key });
    expectError(refused, 403, "KEY_SCOPE_TOO_NARROW");
    expect(refused.error?.message).to.include("scope webhooks, and this one is of scope read,write");
  });

  it("may be in networks that the operator opened, by http too", async () => {
    const opened = await startApi({
      database: api.database,
      indexed: false,
      environment: { WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8,fd00::/8" },
    });
    try {
      for (const receiver of [
        "http://127.0.0.1:81/",
        "http://localhost:8080/",
        "https://[fd00::1]/",
        "http://receiver.internal/",
      ]) {
        const { status, value } = await opened.post("/webhooks/", { url: receiver });
        expect(status, receiver).to.equal(201);
        expect(value.url).to.equal(receiver);
      }
      for (const receiver of ["http://10.0.0.1/", "https://10.0.0.1/", "http://[::1]/"]) {
        expectError(await opened.post("/webhooks/", { url: receiver }), 400, "INVALID_REQUEST");
      }
    } finally {
      await opened.stop();
    }
  });

  it(`are ${limits.webhooks} of a tenant at most, however many are asked for at once`, async () => {
    const body = { url };
    const answers = await Promise.all(
      Array.from({ length: limits.webhooks + 5 }, () => api.post("/webhooks/", body)),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).to.have.lengthOf(5);
    for (const answer of refused) expectError(answer, 409, "TOO_MANY_WEBHOOKS");
    expect((await api.post("/webhooks/", body, theirs)).status).to.equal(201);
  });
});
