import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { close } from "../../../api/http/server.ts";
import { insertKey, keyDigest, revokeKey, rotateKey } from "../../../db/service/api-keys.ts";
import { expectError, fieldsOf, keys, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { connect } from "../../support/connect.ts";
import { type EventReader, readStream } from "../../support/event-stream.ts";
import { eventually } from "../../support/eventually.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";

describe("the end of a stream of events", () => {
  let issuer: Issuer;
  let api: TestApi;
  const readers: EventReader[] = [];

  before(async () => {
    issuer = await startIssuer();
    api = await startApi({ issuer: issuer.url, streams: { heartbeat: 200, most: 3 } });
  });
  after(async () => {
    await api.stop();
    await issuer.stop();
  });
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.close();
    await eventually(
      "no stream is open",
      async () => api.services.streams.count(),
      (open) => open === 0,
    );
  });

  async function open(headers: Record<string, string>, query = ""): Promise<EventReader> {
    const reader = await readStream(`${api.url}/events/stream${query}`, headers);
    readers.push(reader);
    await reader.hasBlock("ready", ({ event }) => event === "ready");
    return reader;
  }
  const withKey = (key: string = keys["tenant-a"]) => ({ "X-API-KEY": key });
  const ask = async (author = owner.address) =>
    (await api.post("/assets/", { name: "Lease", author })).value.transactionId as string;

  async function makeKey() {
    const made = { key: `key-of-the-database-${randomUUID()}`, id: randomUUID() };
    const row = { id: made.id, tenant: "tenant-a", name: "", digest: keyDigest(made.key) };
    await insertKey(api.pool, row, "test");
    return made;
  }

  it("comes when its key is revoked, and no other stream ends", async () => {
    const { key, id } = await makeKey();
    const [stream, another] = [await open(withKey(key)), await open(withKey())];
    await revokeKey(api.pool, id, "test");
    expect(await stream.over()).to.equal("ended");
    expect(stream.blocks.at(-1)).to.deep.include({ comment: true, event: undefined });
    await ask();
    await another.has(1);
    expect(stream.events()).to.deep.equal([]);
  });

  it("comes when its key is rotated out, or may read no longer", async () => {
    const [first, second] = [await makeKey(), await makeKey()];
    const streams = [await open(withKey(first.key)), await open(withKey(second.key))];
    await rotateKey(api.pool, { id: first.id, digest: keyDigest(randomUUID()), overlapSeconds: 0 }, "test");
    await api.pool.query("update service.api_keys set scopes = '{write}' where id = $1", [second.id]);
    for (const stream of streams) expect(await stream.over()).to.equal("ended");
  });

  it("comes when the identity token has expired", async () => {
    // It is taken for half a minute more, as everywhere.
    const exp = Math.floor(Date.now() / 1000) - 26;
    const bearer = await issuer.token({ exp });
    const stream = await open({ Authorization: `Bearer ${bearer}` });
    expect(await stream.over()).to.equal("ended");
    expectError(await api.get("/events/stream", { key: null, bearer }), 401, "IDENTITY_TOKEN_INVALID");
  });

  it("comes at once when the service stops, which waits for none", async () => {
    const stopped = await startApi();
    const stream = await readStream(`${stopped.url}/events/stream`, withKey());
    await stream.hasBlock("ready", ({ event }) => event === "ready");
    const begun = performance.now();
    stopped.services.streams.close();
    await close(stopped.server);
    expect(performance.now() - begun).to.be.lessThan(8_000);
    expect(await stream.over()).to.equal("ended");
    await stopped.stop();
  });

  it("gives its place to another; one more than are allowed for a key, or an address without one, is refused", async () => {
    const id = await ask();
    for (const [headers, call, query] of [
      [withKey(), {}, ""],
      [{}, { key: null }, `?transactionId=${id}`],
    ] as const) {
      const streams = [await open(headers, query), await open(headers, query), await open(headers, query)];
      const refused = await api.get(`/events/stream${query}`, call);
      expectError(refused, 429, "TOO_MANY_STREAMS");
      expect(refused.headers.get("retry-after")).to.match(/^\d+$/);
      streams[0]?.close();
      await eventually(
        "a place",
        async () => api.services.streams.count(),
        (open) => open % 3 === 2,
      );
      await open(headers, query);
    }
    await open(withKey(keys["tenant-b"]));
  });

  it("is in the log as one line with its whole time, though the reader left", async () => {
    const stream = await open({ ...withKey(), "X-Request-Id": "the-stream-to-find" });
    stream.close();
    const lines = () =>
      api.lines.map((line) => JSON.parse(line)).filter(({ id }) => id === "the-stream-to-find");
    const [line, ...others] = await eventually(
      "its line",
      async () => lines(),
      (found) => found.length > 0,
    );
    expect(others).to.deep.equal([]);
    expect(line).to.include({ method: "GET", route: "/events/stream", status: 200, tenant: "tenant-a" });
    expect(line).not.to.have.property("aborted");
  });

  it("counts no wallet that the user has removed, and each that the user connects meanwhile", async () => {
    const bearer = await issuer.token();
    const stream = await open({ Authorization: `Bearer ${bearer}` });
    await ask();
    const { value: wallet } = await connect(api, bearer, owner);
    const second = await ask();
    await stream.has(2);
    await api.remove(`/wallets/${wallet.id}`, { key: null, bearer });
    await ask();
    await connect(api, bearer, owner);
    const fourth = await ask();
    await stream.has(5);
    const told = stream.events().map(({ kind, transactionId }) => transactionId ?? kind);
    expect(told).to.deep.equal(["wallet.connected", second, "wallet.removed", "wallet.connected", fourth]);
  });

  it("is answered for HEAD at once, without a place", async () => {
    for (let count = 0; count < 5; count += 1) {
      expect((await api.call("HEAD", "/events/stream")).status).to.equal(200);
    }
  });

  it("never begins where Last-Event-ID is no position, or one that the log does not have", async () => {
    const bad = [
      "",
      "-1",
      "1e3",
      "1.5",
      "0x1",
      "9".repeat(16),
      "NaN",
      "1, 2",
      "a",
      "\u00ff",
      "7".repeat(8_000),
    ];
    for (const id of bad) {
      const answer = await api.get("/events/stream", { headers: { "Last-Event-ID": id } });
      expectError(answer, 400, "INVALID_REQUEST");
      expect(fieldsOf(answer)).to.deep.equal(["Last-Event-ID"]);
    }
    expectError(
      await api.get("/events/stream", { headers: { "Last-Event-ID": "999999" } }),
      409,
      "EVENT_AHEAD",
    );
    expectError(await api.get("/events/stream?after=999999"), 409, "EVENT_AHEAD");
    expectError(await api.get("/events/stream?kinds=all"), 400, "INVALID_REQUEST");
    expectError(await api.get("/events/stream", { key: null }), 401, "API_KEY_MISSING");
    const unknown = "00000000-0000-4000-8000-000000000000";
    const nobody = await api.get(`/events/stream?transactionId=${unknown}`, { key: null });
    expectError(nobody, 404, "TRANSACTION_NOT_FOUND");
  });
});
