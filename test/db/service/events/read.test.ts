import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { type EventFilter, eventBounds, readEvents } from "../../../../db/service/events/read.ts";
import type { AssetId } from "../../../../domain/asset/asset.ts";
import { toBytes } from "../../../../domain/bytes.ts";
import { chainKinds, eventKinds, requestKinds, walletKinds } from "../../../../domain/events/kinds.ts";
import { other, owner } from "../../../support/chain/accounts.ts";
import { assetIdFor, chainOf, requestCreation, requestLinkChange, useDatabase, wordOf } from "../../rows.ts";

const user = { issuer: "https://id.example", subject: "alice" };

describe("events that a reader sees", () => {
  const store = useDatabase();

  const read = async (filter: EventFilter, after = 0, most = 100) =>
    (await readEvents(store.pool, filter, after, most)).map(({ kind, assetId }) =>
      assetId === undefined ? kind : `${kind} ${nameOf(assetId)}`,
    );
  const nameOf = (id: AssetId) => ["one", "two", "three"].find((word) => assetIdFor(word) === id) ?? id;
  const connect = (address: `0x${string}`, { issuer, subject } = user) =>
    store.pool.query(
      "insert into service.wallets (id, issuer, subject, name, description, address) values ($1, $2, $3, 'w', '', $4)",
      [randomUUID(), issuer, subject, toBytes(address)],
    );
  const tellChain = (kind: string, word: string, target?: string) =>
    store.pool.query("insert into service.events (kind, asset_id, target_id) values ($1, $2, $3)", [
      kind,
      toBytes(assetIdFor(word)),
      target === undefined ? null : toBytes(assetIdFor(target)),
    ]);

  let first: string;

  beforeEach(async () => {
    await store.write(async (tx) => {
      await chainOf(tx, 1);
      first = await requestCreation(tx, "one");
    });
    await tellChain("asset.registered", "two");
    await connect(owner.address);
    await connect(other.address, { ...user, subject: "bob" });
    await tellChain("link.added", "two", "one");
  });

  const own = "request.Received one";
  const chain = [`asset.registered two`, `link.added two`];

  it("are a tenant's own, with those of the chain where the reader asks for them", async () => {
    const audience = { tenant: "acme" };
    expect(await read({ audience, kinds: eventKinds })).to.deep.equal([own, ...chain]);
    expect(await read({ audience, kinds: requestKinds })).to.deep.equal([own]);
    expect(await read({ audience, kinds: ["link.added"] })).to.deep.equal(["link.added two"]);
    expect(await read({ audience: { tenant: "other" }, kinds: eventKinds })).to.deep.equal(chain);
  });

  it("are a user's wallets, and what those are to sign", async () => {
    expect(await read({ audience: { user }, kinds: [...requestKinds, ...walletKinds] })).to.deep.equal([
      own,
      "wallet.connected",
    ]);
    const bob = { ...user, subject: "bob" };
    expect(await read({ audience: { user: bob }, kinds: eventKinds })).to.deep.equal([
      chain[0],
      "wallet.connected",
      chain[1],
    ]);
    const elsewhere = { ...user, issuer: "https://other.example" };
    expect(await read({ audience: { user: elsewhere }, kinds: eventKinds })).to.deep.equal(chain);
  });

  it("come once to a tenant whose user is the author, too", async () => {
    expect(await read({ audience: { tenant: "acme", user }, kinds: eventKinds })).to.deep.equal([
      own,
      chain[0],
      "wallet.connected",
      chain[1],
    ]);
  });

  it("are those of one request for whoever knows its id", async () => {
    expect(await read({ requestId: first, kinds: eventKinds })).to.deep.equal([own]);
    expect(await read({ requestId: randomUUID(), kinds: eventKinds })).to.deep.equal([]);
    const assetId = assetIdFor("two");
    expect(await read({ requestId: first, kinds: eventKinds, assetId })).to.deep.equal([]);
  });

  it("are those of one asset, links from and to it included, and no other tenant's", async () => {
    const of = (tenant: string, word: string) =>
      read({ audience: { tenant }, kinds: eventKinds, assetId: assetIdFor(word) });
    expect(await of("acme", "one")).to.deep.equal([own, "link.added two"]);
    expect(await of("other", "one")).to.deep.equal(["link.added two"]);
    expect(await of("acme", "two")).to.deep.equal(chain);
    expect(await of("acme", "three")).to.deep.equal([]);
  });

  it("are read on from a number, as many as asked for", async () => {
    const filter = { audience: { tenant: "acme", user }, kinds: eventKinds };
    const all = await readEvents(store.pool, filter, 0, 100);
    const pages = [];
    for (let after = 0; ; ) {
      const page = await readEvents(store.pool, filter, after, 1);
      if (page[0] === undefined) break;
      pages.push(...page);
      after = page[0].sequence;
    }
    expect(pages).to.deep.equal(all);
    const { first: oldest, last } = await eventBounds(store.pool);
    expect([oldest, last]).to.deep.equal([1, 5]);
  });

  it("name the targets of a link change", async () => {
    const id = await store.write((tx) =>
      requestLinkChange(tx, assetIdFor("one"), {
        kind: "link",
        targets: ["two", "three"].map((word) => ({ child: assetIdFor(word), nth: 1 })),
      }),
    );
    const [event] = await readEvents(store.pool, { requestId: id, kinds: eventKinds }, 0, 1);
    expect(event?.request).to.deep.equal({
      id,
      kind: "link",
      targets: [assetIdFor("two"), assetIdFor("three")],
      reason: undefined,
    });
  });

  it("are found by indexes where there are many of others", async () => {
    await store.pool.query(
      `insert into service.events (kind, tenant, asset_id, author)
       select (array['request.Received', 'asset.registered', 'wallet.connected'])[1 + i % 3], 
         case when i % 3 = 0 then 'other' end, $1, $2 from generate_series(1, 3000) i`,
      [toBytes(wordOf("many")), toBytes(owner.address)],
    );
    await store.pool.query("analyze service.events");
    const rows = async (filter: EventFilter) => (await readEvents(store.pool, filter, 5, 10)).length;
    expect(
      await rows({ audience: { tenant: "acme", user }, kinds: [...requestKinds, ...walletKinds] }),
    ).to.equal(0);
    expect(await rows({ audience: { tenant: "acme" }, kinds: chainKinds })).to.equal(10);
  });
});
