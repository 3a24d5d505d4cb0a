import { expect } from "chai";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { limits } from "../../../domain/limits.ts";
import { type Answer, expectError, fieldsOf, startApi, type TestApi } from "../../support/api.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";

const nobody = { key: null };
const sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const unknown = `0x${"0".repeat(64)}`;

describe("a public asset", () => {
  let api: TestApi;
  let facts: ReturnType<typeof chainFacts>;
  beforeEach(async () => {
    api = await startApi();
    facts = chainFacts(api.pool, api.registry);
  });
  afterEach(() => api.stop());

  const read = (id: string): Promise<Answer> => api.get(`/public/assets/${id}`, nobody);
  const find = (query: Record<string, string>): Promise<Answer> =>
    api.get(`/public/assets/?${new URLSearchParams(query)}`, nobody);
  const found = async (query: Record<string, string>): Promise<AssetId[]> =>
    (await find(query)).value.map(({ id }: { id: AssetId }) => id);

  it("is what the chain says, without a key", async () => {
    const texts = { name: "Lease", data: "Flat 3", method: "SHA2-256", hash: sha256 };
    const id = await facts.asset(texts);
    const { rows } = await api.pool.query("select hash from chain.blocks where number = 1");
    const { salt, blockchainHash } = (await api.get(`/assets/${id}`)).value;
    const { status, value } = await read(id);
    expect(status).to.equal(200);
    expect(value).to.deep.equal({
      ...{ id, chainId: api.registry.chainId, registry: api.registry.address, author: owner.address, salt },
      ...{ blockchainHash, documentDbHash: blockchainHash.slice(2) },
      ...{ fileName: "", fileType: "", fileSize: "", uri: "", ...texts },
      createdOn: facts.timeOf(1).toISOString().replace("Z", "+00:00"),
      ...{ blockNumber: 1, blockHash: `0x${rows[0].hash.toString("hex")}`, logIndex: 0 },
      ...{ transactionHash: facts.transactionHashOf(1), confirmations: 1, final: false },
    });
  });

  it("is final from the fifth confirmation on", async () => {
    const id = await facts.asset();
    await facts.emptyBlocks(3);
    expect((await read(id)).value).to.include({ confirmations: 4, final: false });
    await facts.emptyBlocks(1);
    expect((await read(id)).value).to.include({ confirmations: 5, final: true });
  });

  it("is none as long as it is not on the chain, whoever asks, and says nothing of its request then", async () => {
    const { value } = await api.post("/assets/", { name: "Secret", author: other.address, hash: sha256 });
    for (const call of [nobody, {}]) {
      const answers = [value.id, unknown].map((id) => api.get(`/public/assets/${id}`, call));
      const [pending, none] = (await Promise.all(answers)) as [Answer, Answer];
      expectError(pending, 404, "ASSET_NOT_FOUND");
      expectError(none, 404, "ASSET_NOT_FOUND");
      expect(pending.error?.message.replace(value.id, unknown)).to.equal(none.error?.message);
      expectError(await api.get(`/public/assets/${value.id}/links`, call), 404, "ASSET_NOT_FOUND");
      expect((await api.get(`/public/assets/?hash=${sha256}`, call)).value).to.deep.equal([]);
    }
    await facts.create(value.transactionId);
    const told = JSON.stringify(await read(value.id)) + JSON.stringify(await find({ hash: sha256 }));
    expect(told).to.include("Secret").and.not.include(value.transactionId).and.not.include("tenant");
  });

  it("is read whatever credentials are sent, which nobody looks at", async () => {
    const id = await facts.asset();
    for (const call of [{ key: "wrong" }, { key: null, bearer: "wrong" }, { key: "a, b" }]) {
      expect((await api.get(`/public/assets/${id}`, call)).status).to.equal(200);
    }
  });

  it("is not to be kept by a cache, and refuses a path that is no id and a query that it does not have", async () => {
    const id = await facts.asset();
    expect((await read(id)).headers.get("cache-control")).to.equal("no-store");
    expectError(await read("0x12"), 404, "ASSET_NOT_FOUND");
    expect(fieldsOf(await read(`${id}?verbose=1`))).to.deep.equal(["verbose"]);
  });

  it("has texts word for word, with NUL, and names those that are no UTF-8", async () => {
    const broken = Buffer.from([0x41, 0xff, 0x42]);
    const bom = Buffer.from("\ufeffe\u0301");
    const id = await facts.asset({ name: "a\0b", data: broken, uri: bom, fileName: "é" });
    const { value } = await read(id);
    expect(value).to.include({ name: "a\0b", data: "A\ufffdB", uri: "\ufeffe\u0301", fileName: "é" });
    expect(value.inexact).to.deep.equal(["data"]);
    expect((await find({ hash: sha256 })).value).to.deep.equal([]);
  });

  it("is found by the hash of its file in any spelling, the newest first, and by no other hash", async () => {
    const ids = [
      await facts.asset({ method: "SHA2-256", hash: sha256 }),
      await facts.asset({ method: "sha256", hash: `0x${sha256.toUpperCase()}` }),
    ].reverse();
    await facts.asset({ method: "SHA3-256", hash: sha256 });
    for (const hash of [
      sha256,
      `0x${sha256}`,
      sha256.toUpperCase(),
      `sha256:${sha256}`,
      Buffer.from(sha256, "hex").toString("base64"),
      Buffer.from(sha256, "hex").toString("base64url"),
      `sha256-${Buffer.from(sha256, "hex").toString("base64")}`,
      `1220${sha256}`,
    ]) {
      expect(await found({ hash }), hash).to.deep.equal(ids);
    }
    expect(await found({ hash: sha256, method: "Sha 256" })).to.deep.equal(ids);
    expect(await found({ hash: "00".repeat(32) })).to.deep.equal([]);
    const { meta } = await find({ hash: "not a digest", method: "MY-OWN" });
    expect(meta).to.have.nested.property("warnings[0].field", "hash");
  });

  it("is found in pages that miss and repeat nothing, by a cursor that is good for no other list", async () => {
    const ids: AssetId[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift(await facts.asset({ hash: sha256 }));
    const first = await find({ hash: sha256, size: "2" });
    expect(first.meta).to.include({ size: 2, page: 1 });
    const second = await find({ hash: sha256, size: "2", cursor: first.meta?.next ?? "" });
    const third = await find({ hash: sha256, size: "2", cursor: second.meta?.next ?? "" });
    expect(third.meta).not.to.have.property("next");
    const all = [first, second, third].flatMap(({ value }) => value.map(({ id }: { id: AssetId }) => id));
    expect(all).to.deep.equal(ids);
    expect(await found({ hash: sha256, size: "2", page: "3" })).to.deep.equal(ids.slice(4));
    const keyed = await api.get(`/assets/?hash=${sha256}&size=2&cursor=${first.meta?.next}`);
    expect(fieldsOf(keyed)).to.deep.equal(["cursor"]);
    const other = await find({ hash: "00".repeat(32), cursor: first.meta?.next ?? "" });
    expect(fieldsOf(other)).to.deep.equal(["cursor"]);
  });

  it("is listed without a search, the newest first, in pages that miss and repeat nothing while more arrive", async () => {
    const ids: AssetId[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift(await facts.asset());
    await api.post("/assets/", { name: "Pending", author: other.address });
    expect(await found({})).to.deep.equal(ids);
    const first = await find({ size: "2" });
    await facts.asset();
    const second = await find({ size: "2", cursor: first.meta?.next ?? "" });
    const third = await find({ size: "2", cursor: second.meta?.next ?? "" });
    expect(third.meta).not.to.have.property("next");
    const all = [first, second, third].flatMap(({ value }) => value.map(({ id }: { id: AssetId }) => id));
    expect(all).to.deep.equal(ids);
    const keyed = await api.get(`/assets/?size=2&cursor=${first.meta?.next}`);
    expect(fieldsOf(keyed)).to.deep.equal(["cursor"]);
  });

  it("is found by author, beginning of the name, its words, and all of them together", async () => {
    const lease = await facts.asset({ name: "Straße 5: Lease" }, owner.address);
    const annex = await facts.asset({ name: "Annex to the lease", hash: sha256 }, other.address);
    expect(await found({ author: other.address.toLowerCase() })).to.deep.equal([annex]);
    expect(await found({ author: "0x000000000000000000000000000000000000dEaD" })).to.deep.equal([]);
    expect(await found({ name: "STRASSE" })).to.deep.equal([lease]);
    expect(await found({ words: "LEASE" })).to.deep.equal([annex, lease]);
    expect(await found({ words: "lease annex" })).to.deep.equal([annex]);
    expect(await found({ words: "leas" })).to.deep.equal([]);
    expect(await found({ words: "lease", author: owner.address })).to.deep.equal([lease]);
    expect(await found({ words: "lease", hash: sha256 })).to.deep.equal([annex]);
    expect(await found({ name: "annex", author: owner.address })).to.deep.equal([]);
  });

  it("is found by the links that stand, in either direction", async () => {
    const [lease, annex, letter] = [await facts.asset(), await facts.asset(), await facts.asset()];
    await facts.link(lease, annex);
    await facts.link(lease, letter);
    await facts.revoke(lease, letter);
    expect(await found({ linkedFrom: lease })).to.deep.equal([annex]);
    expect(await found({ linkedTo: annex })).to.deep.equal([lease]);
    expect(await found({ linkedTo: letter })).to.deep.equal([]);
  });

  it("is not searched for by what is no hash, address or word, or by what a list of everybody's does not have", async () => {
    const refused: [Record<string, string>, string][] = [
      [{ hash: "" }, "hash"],
      [{ hash: "abc" }, "hash"],
      [{ hash: sha256, method: "SHA-512" }, "hash"],
      [{ hash: sha256, method: "" }, "method"],
      [{ method: "SHA-256" }, "method"],
      [{ author: "0x12" }, "author"],
      [{ name: " " }, "name"],
      [{ words: "\u200b" }, "words"],
      [{ state: "Received" }, "state"],
      [{ createdFrom: "2026-11-28T00:00:00Z" }, "createdFrom"],
      [{ linkedTo: "lease" }, "linkedTo"],
    ];
    for (const [query, field] of refused) {
      const answer = await find(query);
      expectError(answer, 400, "INVALID_REQUEST");
      expect(fieldsOf(answer), JSON.stringify(query)).to.deep.equal([field]);
    }
  });

  it("is cut in lists, whose pages end before they are too large", async () => {
    const data = Buffer.alloc(250_000, "\u0001");
    const ids: AssetId[] = [];
    for (let count = 0; count < 4; count += 1) ids.unshift(await facts.asset({ hash: sha256, data }));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { value, meta } = await find({ hash: sha256, ...(cursor && { cursor }) });
      expect(value).to.have.length.within(1, 3);
      for (const { id, data, truncated } of value) {
        seen.push(id);
        expect(data).to.have.lengthOf(limits.text.data);
        expect(truncated).to.deep.equal(["data"]);
      }
      cursor = meta?.next;
    } while (cursor !== undefined);
    expect(seen).to.deep.equal(ids);
    expect((await read(ids[0] ?? "")).value.data).to.have.lengthOf(250_000);
  });
});
