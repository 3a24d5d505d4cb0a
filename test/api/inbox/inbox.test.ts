import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { toHex } from "viem";
import { inTransaction } from "../../../db/core/pool.ts";
import { findListedRequests } from "../../../db/service/requests/find.ts";
import { recordStates } from "../../../db/service/requests/history.ts";
import { insertLinkChange } from "../../../db/service/requests/insert-link-change.ts";
import { limits } from "../../../domain/limits.ts";
import { type Answer, expectError, fieldsOf, keys, startApi, type TestApi } from "../../support/api.ts";
import { other, owner, third } from "../../support/chain/accounts.ts";
import { connect } from "../../support/connect.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";

type Entry = { id: string; state: string };

describe("GET /transactions/", () => {
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
  beforeEach(() => api.pool.query("truncate service.requests, service.wallets cascade"));

  const ask = async (author = owner.address, key: string = keys["tenant-a"]): Promise<string> =>
    (await api.post("/assets/", { name: "Lease", author }, { key })).value.transactionId;
  const list = (query = "", options = {}) => api.get(`/transactions/${query}`, options);
  const asUser = (query = "", of = bearer) => list(query, { key: null, bearer: of });
  const idsOf = ({ value }: Answer): string[] => value.map(({ id }: Entry) => id);

  it("shows a key what its tenant asked for, newest first, and nothing of other tenants", async () => {
    const [first, second] = [await ask(), await ask(other.address)];
    const foreign = await ask(owner.address, keys["tenant-b"]);
    const mine = await list();
    expect(mine.status).to.equal(200);
    expect(idsOf(mine)).to.deep.equal([second, first]);
    expect(mine.meta).to.deep.equal({ size: 2, page: 1 });
    expect(idsOf(await list("", { key: keys["tenant-b"] }))).to.deep.equal([foreign]);
  });

  it("says of each what it is, in the words of the transaction itself", async () => {
    const id = await ask();
    const { rows } = await api.pool.query("select asset_id from service.requests");
    const [entry] = (await list()).value;
    expect(entry).to.include({ id, kind: "create", signer: owner.address, state: "Received" });
    expect(entry).to.include({ requestedBy: "tenant-a", assetName: "Lease" });
    expect(entry.signUrl).to.equal(`https://registry.example/console/sign/${id}`);
    expect(entry.assetId).to.equal(`0x${rows[0].asset_id.toString("hex")}`);
    expect(entry.summary).to.contain(owner.address).and.contain('"Lease"');
    expect(Object.keys(entry)).to.have.members(
      "id signUrl kind assetId assetName signer requestedBy state summary createdAt expiresAt".split(" "),
    );
  });

  it("shows a user what any tenant asks of their wallets, and nothing else", async () => {
    await connect(api, bearer, owner);
    await connect(api, bearer, other);
    const [first, second] = [await ask(), await ask(other.address, keys["tenant-b"])];
    await ask(third.address);
    expect(idsOf(await asUser())).to.deep.equal([second, first]);
    expect(idsOf(await asUser(`?signer=${owner.address.toLowerCase()}`))).to.deep.equal([first]);
    expect((await asUser(`?signer=${third.address}`)).value).to.deep.equal([]);
    const bob = await issuer.token({ sub: "bob" });
    expect((await asUser("", bob)).value).to.deep.equal([]);
  });

  it("answers key and token together as the key alone", async () => {
    await connect(api, bearer, owner);
    const mine = await ask(third.address);
    await ask(owner.address, keys["tenant-b"]);
    expect(idsOf(await list("", { bearer }))).to.deep.equal([mine]);
  });

  it("needs one of the two, and checks whatever is sent", async () => {
    const { message } = expectError(await list("", { key: null }), 401, "API_KEY_MISSING");
    expect(message).to.contain("identity token");
    expectError(await list("", { key: "wrong" }), 401, "API_KEY_INVALID");
    expectError(await list("", { key: "wrong", bearer }), 401, "API_KEY_INVALID");
    expectError(await list("", { bearer: "bad" }), 401, "IDENTITY_TOKEN_INVALID");
  });

  it("narrows by signer and by state, as the states change", async () => {
    const facts = chainFacts(api.pool, api.registry);
    const [waits, done, refused, foreign] = [await ask(), await ask(), await ask(), await ask(other.address)];
    await facts.create(done);
    await inTransaction(api.pool, async (tx) => {
      await tx.query(
        "update service.requests set refused_at = now(), refusal_signature = '\\x01' where id = $1",
        [refused],
      );
      await recordStates(tx, [refused]);
    });
    const state = async (name: string, of = owner.address) =>
      idsOf(await list(`?state=${name}&signer=${of}`));
    expect(await state("Received")).to.deep.equal([waits]);
    expect(await state("Received", other.address)).to.deep.equal([foreign]);
    expect(await state("Committed")).to.deep.equal([done]);
    expect(await state("RevokedByUser")).to.deep.equal([refused]);
    expect(await state("Confirmed")).to.deep.equal([]);
    expect((await list("?state=RevokedByUser")).value[0].reason).to.equal("REFUSED");
    await facts.emptyBlocks(4);
    await inTransaction(api.pool, (tx) => recordStates(tx, [done]));
    expect(await state("Confirmed")).to.deep.equal([done]);
    const [entry] = (await list("?state=Confirmed")).value;
    expect(entry.transactionHash).to.equal(facts.transactionHashOf(1));
  });

  it("leaves out of Received what has just expired, before anybody noted it", async () => {
    const id = await ask();
    await api.pool.query("update service.requests set expires_at = now() where id = $1", [id]);
    expect((await list("?state=Received")).value).to.deep.equal([]);
    expect((await list()).value[0]).to.include({ state: "RevokedByTxServer", reason: "EXPIRED" });
  });

  for (const [who, query] of [
    ["a key", (text: string) => list(text)],
    ["a user", (text: string) => asUser(text)],
  ] as const) {
    it(`gives ${who} each entry once, in pages and by cursor, while more arrive`, async () => {
      await connect(api, bearer, owner);
      await connect(api, bearer, other);
      const made: string[] = [];
      for (let index = 0; index < 7; index += 1)
        made.push(await ask(index % 2 ? owner.address : other.address));
      // As many as arrive in one instant: the id decides.
      await api.pool.query("update service.requests set created_at = date_trunc('day', created_at)");
      const pages = await Promise.all([1, 2, 3, 4].map((page) => query(`?size=3&page=${page}`)));
      expect(pages.map(({ meta }) => [meta?.page, meta?.size])).to.deep.equal([
        [1, 3],
        [2, 3],
        [3, 1],
        [4, 0],
      ]);
      expect(pages.flatMap(idsOf)).to.have.members(made).and.lengthOf(7);

      let answer = await query("?size=3");
      const followed = idsOf(answer);
      while (answer.meta?.next !== undefined) {
        await ask();
        answer = await query(`?size=3&cursor=${answer.meta.next}`);
        expect(answer.meta).not.to.have.property("page");
        followed.push(...idsOf(answer));
      }
      expect(followed).to.deep.equal(pages.flatMap(idsOf));
    });
  }

  it("names each parameter that is repeated, malformed or unknown", async () => {
    const cursor = (await list("?size=1")).meta?.next ?? "AAAA";
    for (const [query, field] of [
      ["signer=0x12", "signer"],
      ["signer=", "signer"],
      [`signer=${owner.address}&signer=${owner.address}`, "signer"],
      ["state=received", "state"],
      ["state=Received&state=Committed", "state"],
      ["size=0", "size"],
      ["size=201", "size"],
      ["size=1&size=2", "size"],
      ["page=0", "page"],
      ["page=x", "page"],
      ["page=10000&size=50", "page"],
      ["page=1&cursor=AAAA", "page"],
      ["cursor=", "cursor"],
      ["cursor=nonsense", "cursor"],
      [`cursor=${cursor}&state=Received`, "cursor"],
      ["signers=x", "signers"],
      ["__proto__=x", "__proto__"],
    ]) {
      const answer = await list(`?${query}`);
      expectError(answer, 400, "INVALID_REQUEST");
      expect(fieldsOf(answer), query).to.deep.equal([field]);
    }
  });

  it("a cursor is good for the list that it came from alone", async () => {
    await ask();
    await ask();
    const next = (await list("?size=1")).meta?.next;
    for (const answer of [
      await list(`?cursor=${next}`, { key: keys["tenant-b"] }),
      await list(`?cursor=${next}&signer=${owner.address}`),
      await asUser(`?cursor=${next}`),
    ]) {
      expectError(answer, 400, "INVALID_REQUEST");
      expect(fieldsOf(answer)).to.deep.equal(["cursor"]);
    }
  });

  it("ends a page before it gets too large, and reads of each request no more than it shows", async () => {
    const facts = chainFacts(api.pool, api.registry);
    const parent = await facts.asset();
    const targets = [];
    for (let count = 0; count < limits.targets; count += 1)
      targets.push({ child: await facts.asset(), nth: 1 });
    const change = { kind: "link" as const, targets };
    const requests = Array.from({ length: 160 }, () => randomUUID());
    for (const id of requests) {
      await inTransaction(api.pool, (tx) =>
        insertLinkChange(tx, {
          ...{ id, tenant: "tenant-a", author: owner.address, assetId: parent, registry: api.registry },
          ...{ calldata: toHex(new Uint8Array(120_000)), ttl: 600, change },
        }),
      );
    }
    const read: string[] = [];
    let pages = 0;
    for (let next: string | undefined = ""; next !== undefined; pages += 1) {
      const answer: Answer = await list(next === "" ? "?size=200" : `?size=200&cursor=${next}`);
      expect(answer.status).to.equal(200);
      expect(JSON.stringify(answer.value).length).to.be.at.most(limits.answerBytes + 1_000);
      read.push(...idsOf(answer));
      next = answer.meta?.next;
    }
    expect(read).to.have.members(requests).and.to.have.lengthOf(requests.length);
    expect(pages).to.equal(2);
    const [listed] = await findListedRequests(api.pool, requests.slice(0, 1));
    expect(listed).not.to.have.property("calldata");
  });
});
