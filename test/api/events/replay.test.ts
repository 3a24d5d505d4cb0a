import { expect } from "chai";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { type Answer, type Call, expectError, keys, startApi, type TestApi } from "../../support/api.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { connect } from "../../support/connect.ts";
import { tell } from "../../support/database/tell.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";

const asset = (digit: string): AssetId => `0x${digit.repeat(64)}`;

describe("GET /events/", () => {
  let issuer: Issuer;
  let api: TestApi;
  let bearer: string;

  before(async () => {
    issuer = await startIssuer();
    api = await startApi({ issuer: issuer.url });
    bearer = await issuer.token();
  });
  after(async () => {
    await api.stop();
    await issuer.stop();
  });

  const ask = async (author = owner.address, key: string = keys["tenant-a"]): Promise<string> =>
    (await api.post("/assets/", { name: "Lease", author }, { key })).value.transactionId;
  const list = (query = "", call: Call = {}) => api.get(`/events/${query}`, call);
  const end = async (): Promise<number> => Number((await list()).meta?.next);
  const of = ({ value }: Answer, field: string) =>
    value.map((event: Record<string, unknown>) => event[field]);

  it("tells a tenant of its requests, oldest first, page by page, and nothing of others", async () => {
    const from = await end();
    const [first, second] = [await ask(), await ask(other.address)];
    const foreign = await ask(owner.address, keys["tenant-b"]);
    const page = await list(`?after=${from}&size=1`);
    expect(of(page, "transactionId")).to.deep.equal([first]);
    const rest = await list(`?after=${page.meta?.next}`);
    expect(of(rest, "transactionId")).to.deep.equal([second]);
    expect(Number(rest.meta?.next)).to.be.greaterThan(rest.value[0].sequence);
    expect(await list(`?after=${rest.meta?.next}`)).to.deep.include({
      value: [],
      meta: { ...rest.meta, size: 0 },
    });
    expect(of(await list(`?after=${from}`, { key: keys["tenant-b"] }), "transactionId")).to.deep.equal([
      foreign,
    ]);
  });

  it("says where the log ends to whoever begins from now on, without reading it", async () => {
    await ask();
    const { value, meta } = await list("?after=latest");
    expect([value, meta]).to.deep.equal([[], { size: 0, next: String(await end()) }]);
    const next = await ask();
    expect(of(await list(`?after=${meta?.next}`), "transactionId")).to.deep.equal([next]);
    for (const after of ["Latest", "last", "-1", "1e3", ""]) {
      expectError(await list(`?after=${after}`), 400, "INVALID_REQUEST");
    }
    expectError(await api.get("/events/stream?after=latest"), 400, "INVALID_REQUEST");
  });

  it("says what the API would answer about a request", async () => {
    const from = await end();
    const id = await ask();
    const [event] = (await list(`?after=${from}`)).value;
    const { value: status } = await api.get(`/transactions/${id}/status`);
    const { assetId } = status;
    expect(event).to.deep.include({
      kind: "request.Received",
      transactionId: id,
      assetId,
      author: owner.address,
    });
    expect(event.data).to.deep.equal({ id, kind: "create", assetId, state: "Received" });
    expect(event.time).to.equal(status.history[0].at);
  });

  it("tells of the chain whoever names its kinds, and of an asset at either end of a link", async () => {
    const from = await end();
    const author = owner.address;
    const details = { name: "Lease", fileName: "a.pdf", method: "SHA2-256", hash: "2c26" };
    await tell(
      api.pool,
      { kind: "asset.registered", assetId: asset("a"), author, details, block: 1 },
      { kind: "link.added", assetId: asset("b"), targetId: asset("a"), author, block: 1 },
      { kind: "link.added", assetId: asset("b"), targetId: asset("c"), author, block: 2 },
    );
    expect((await list(`?after=${from}`)).value).to.deep.equal([]);
    const all = await list(`?after=${from}&kinds=asset,link.added`);
    expect(of(all, "kind")).to.deep.equal(["asset.registered", "link.added", "link.added"]);
    expect(all.value[0].data).to.deep.include({ id: asset("a"), author, ...details });
    expect(all.value[1].data).to.deep.include({ from: asset("b"), to: asset("a"), author });
    const about = await list(
      `?after=${from}&kinds=asset,link&assetId=${asset("a").toUpperCase().replace("X", "x")}`,
    );
    expect(about.value).to.deep.equal(all.value.slice(0, 2));
  });

  it("tells a user of wallets, and of the requests that these are to sign", async () => {
    const from = await end();
    const mine = { key: null, bearer };
    const id = await ask(owner.address, keys["tenant-b"]);
    const wallet = (await connect(api, bearer, owner)).value;
    const seen = await list(`?after=${from}`, mine);
    expect(of(seen, "kind")).to.deep.equal(["request.Received", "wallet.connected"]);
    expect(seen.value[0].transactionId).to.equal(id);
    expect(seen.value[1]).to.deep.include({ walletId: wallet.id, data: wallet });
    await ask(other.address);
    expect(of(await list(`?after=${from}`, { bearer }), "kind")).to.deep.equal([
      "request.Received",
      "wallet.connected",
      "request.Received",
    ]);
    await api.remove(`/wallets/${wallet.id}`, mine);
    expect(of(await list(`?after=${from}`, mine), "kind")).to.deep.equal([
      "wallet.connected",
      "wallet.removed",
    ]);
    const stranger = await issuer.token({ sub: "bob" });
    expect((await list(`?after=${from}`, { key: null, bearer: stranger })).value).to.deep.equal([]);
  });

  it("tells whoever knows a request's id of that request, and nobody else without a credential", async () => {
    const id = await ask(owner.address, keys["tenant-b"]);
    for (const call of [{ key: null }, {}]) {
      expect(of(await list(`?transactionId=${id}`, call), "kind")).to.deep.equal(["request.Received"]);
    }
    expectError(await list("", { key: null }), 401, "API_KEY_MISSING");
    const unknown = id.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
    expectError(await list(`?transactionId=${unknown}`, { key: null }), 404, "TRANSACTION_NOT_FOUND");
  });

  it("answers HEAD", async () => {
    expect((await api.call("HEAD", "/events/")).status).to.equal(200);
  });

  it("refuses a position that is no longer, or not yet, in the log, and says where to go on", async () => {
    await api.pool.query("alter table service.events disable trigger keep_recent");
    await api.pool.query("delete from service.events where sequence < 3");
    await api.pool.query("alter table service.events enable trigger keep_recent");
    expect(expectError(await list("?after=1"), 410, "EVENTS_GONE").message).to.include("after=2");
    expect(expectError(await list("?after=0"), 410, "EVENTS_GONE").message).to.include("after=2");
    expect((await list("?after=2")).value).to.deep.equal((await list()).value);
    const last = await end();
    expect(expectError(await list(`?after=${last + 1}`), 409, "EVENT_AHEAD").message).to.include(
      String(last),
    );
    expectError(await list("?after=999999999999999"), 409, "EVENT_AHEAD");
  });
});
