import { expect } from "chai";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { type Answer, expectError, fieldsOf, keys, startApi, type TestApi } from "../../support/api.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";

describe("links", () => {
  let api: TestApi;
  let facts: ReturnType<typeof chainFacts>;
  let parent: AssetId;
  let [first, second]: AssetId[] = [];
  const unknown = `0x${"ab".repeat(32)}` as const;

  before(async () => {
    api = await startApi();
    facts = chainFacts(api.pool, api.registry);
  });
  after(() => api.stop());

  beforeEach(async () => {
    parent = await facts.asset();
    first = await facts.asset({}, other.address);
    second = await facts.asset();
  });

  const link = (targetAssetIds: unknown, key?: string) =>
    api.post(`/assets/${parent}/links`, { targetAssetIds }, key === undefined ? {} : { key });
  const revoke = (targetAssetIds: unknown) => api.patch(`/assets/${parent}/links`, { targetAssetIds });
  const count = async () => (await api.pool.query("select count(*) as n from service.requests")).rows[0].n;
  const pendingAsset = async (): Promise<AssetId> =>
    (await api.post("/assets/", { name: "Pending", author: owner.address })).value.id;

  it("are refused with 429 when a tenant has a hundred open changes of one asset's, and only then", async () => {
    const children: AssetId[] = [];
    for (let nth = 0; nth < 7; nth += 1) children.push(await facts.asset());
    /** One of 127 different lists of targets. */
    const targets = (bits: number) => children.filter((_, nth) => (bits >> nth) % 2 === 1);
    const answers: Answer[] = [];
    for (let bits = 1; bits <= 100; bits += 1) answers.push(await link(targets(bits)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([202]));
    expect(expectError(await link(targets(101)), 429, "TOO_MANY_OPEN_REQUESTS").message).to.contain(parent);
    expect((await link(targets(100))).value.transactionId).to.equal(answers[99]?.value.transactionId);
    expect((await link(targets(101), keys["tenant-b"])).status).to.equal(202);
    await api.pool.query("update service.requests set settled = true where id = $1", [
      answers[0]?.value.transactionId,
    ]);
    expect((await link(targets(101))).status).to.equal(202);
    expectError(await link(targets(102)), 429, "TOO_MANY_OPEN_REQUESTS");
  });

  for (const [method, kind] of [
    ["POST", "link"],
    ["PATCH", "revoke"],
  ] as const) {
    describe(`${method} /assets/{assetId}/links`, () => {
      const change = (targets: unknown) => (kind === "link" ? link(targets) : revoke(targets));

      beforeEach(async () => {
        if (kind === "link") return;
        await facts.link(parent, first as AssetId);
        await facts.link(parent, second as AssetId);
      });

      it("answers 202 with the parent, the state Received and a transaction", async () => {
        const { status, value } = await change([first, second]);
        expect(status).to.equal(202);
        expect(value).to.include({ id: parent, state: "Received" });
        expect(value.signUrl).to.equal(`https://registry.example/console/sign/${value.transactionId}`);
        expect(value.transactionId).to.match(/^[0-9a-f-]{36}$/);
      });

      it("answers the pending request for the same targets, in whatever order and case", async () => {
        const { value } = await change([first, second]);
        const again = await change([second, `0x${first?.slice(2).toUpperCase()}`]);
        expect(again.value).to.deep.equal(value);
      });

      it("makes another request for other targets, and for another tenant", async () => {
        const { value } = await change([first]);
        expect((await change([first, second])).value.transactionId).not.to.equal(value.transactionId);
        const theirs = await api.call(method, `/assets/${parent}/links`, {
          key: keys["tenant-b"],
          body: { targetAssetIds: [first] },
        });
        expect(theirs.value.transactionId).not.to.equal(value.transactionId);
      });

      it("makes one request of twenty at the same time", async () => {
        const before = await count();
        const answers = await Promise.all(Array.from({ length: 20 }, () => change([first])));
        expect(new Set(answers.map(({ value }) => value.transactionId)).size).to.equal(1);
        expect(await count()).to.equal(before + 1);
      });

      it("makes a new request once the earlier one has ended", async () => {
        const { value } = await change([first]);
        await api.pool.query("update service.requests set expires_at = now() where id = $1", [
          value.transactionId,
        ]);
        expect((await change([first])).value.transactionId).not.to.equal(value.transactionId);
      });

      it("refuses with 404 a parent that nobody knows, and a pending one of another tenant", async () => {
        const path = `/assets/${await pendingAsset()}/links`;
        const body = { targetAssetIds: [first] };
        expectError(await api.call(method, `/assets/${unknown}/links`, { body }), 404, "ASSET_NOT_FOUND");
        expectError(await api.call(method, path, { key: keys["tenant-b"], body }), 404, "ASSET_NOT_FOUND");
      });

      it("refuses with 409 a parent that is not on the chain yet", async () => {
        const path = `/assets/${await pendingAsset()}/links`;
        const answer = await api.call(method, path, { body: { targetAssetIds: [first] } });
        expectError(answer, 409, "ASSET_NOT_ON_CHAIN");
      });

      it("refuses with 422 targets that are no assets, and names them", async () => {
        const { details } = expectError(await change([first, unknown]), 422, "TARGET_NOT_FOUND");
        expect(details).to.deep.equal([{ field: "targetAssetIds.1", message: `${unknown} is no asset` }]);
      });

      it("refuses with 409 targets that are not on the chain yet, and names them", async () => {
        const pending = await pendingAsset();
        const { details } = expectError(await change([pending, first]), 409, "ASSET_NOT_ON_CHAIN");
        expect(details).to.deep.equal([
          { field: "targetAssetIds.0", message: `${pending} is not on the chain yet` },
        ]);
      });

      it("refuses what is no list of ids, each once, and names every bad one", async () => {
        const cases: [unknown, string[]][] = [
          [undefined, ["targetAssetIds"]],
          ["0x", ["targetAssetIds"]],
          [null, ["targetAssetIds"]],
          [{ 0: first }, ["targetAssetIds"]],
          [[], ["targetAssetIds"]],
          [[[]], ["targetAssetIds.0"]],
          [
            [1, first, null],
            ["targetAssetIds.0", "targetAssetIds.2"],
          ],
          [["0x12", first], ["targetAssetIds.0"]],
          [[first, second, first], ["targetAssetIds.2"]],
          [[first, `0x${first?.slice(2).toUpperCase()}`], ["targetAssetIds.1"]],
          [[first, parent], ["targetAssetIds.1"]],
          [
            Array.from({ length: 101 }, (_, index) => `0x${index.toString(16).padStart(64, "0")}`),
            ["targetAssetIds"],
          ],
          [new Array(100_001).fill(1), ["targetAssetIds"]],
        ];
        const before = await count();
        for (const [targets, fields] of cases) {
          const answer = await change(targets);
          expectError(answer, 400, "INVALID_REQUEST");
          expect(fieldsOf(answer)).to.deep.equal(fields);
        }
        expect(await count()).to.equal(before);
      });

      it("takes a hundred targets", async () => {
        const answer = await change(
          Array.from({ length: 100 }, (_, index) => `0x${index.toString(16).padStart(64, "0")}`),
        );
        expect(expectError(answer, 422, "TARGET_NOT_FOUND").details).to.have.length(100);
      });

      it("hints at targetAssetIds where the text of the spec misled", async () => {
        const answer = await api.call(method, `/assets/${parent}/links`, {
          body: { linkedAssetIds: [first] },
        });
        const { details } = expectError(answer, 400, "INVALID_REQUEST");
        expect(details).to.deep.include({
          field: "linkedAssetIds",
          message: "is unknown: did you mean targetAssetIds?",
        });
      });

      it("is prepared for the author of the parent, whoever's key asks", async () => {
        const { value } = await api.call(method, `/assets/${parent}/links`, {
          key: keys["tenant-b"],
          body: { targetAssetIds: [first] },
        });
        const { rows } = await api.pool.query("select author from service.requests where id = $1", [
          value.transactionId,
        ]);
        expect(`0x${rows[0].author.toString("hex")}`).to.equal(owner.address.toLowerCase());
      });
    });
  }

  it("refuses to link what is linked, and to revoke what is not, and names the targets", async () => {
    await facts.link(parent, first as AssetId);
    const linked = expectError(await link([second, first]), 409, "ALREADY_LINKED");
    expect(linked.details).to.deep.equal([
      { field: "targetAssetIds.1", message: `${first} is linked already` },
    ]);
    const notLinked = expectError(await revoke([second, first]), 409, "NOT_LINKED");
    expect(notLinked.details).to.deep.equal([
      { field: "targetAssetIds.0", message: `${second} is not linked` },
    ]);
  });

  it("follows a pair through link, revoke and link again, each with a request of its own", async () => {
    const child = first as AssetId;
    const seen: string[] = [];
    const stateOf = async (id: string) => (await api.get(`/transactions/${id}`)).value.state;
    for (const step of [link, revoke, link, revoke]) {
      const { value } = await step([child]);
      expect(value.state).to.equal("Received");
      seen.push(value.transactionId);
      await (step === link ? facts.link(parent, child) : facts.revoke(parent, child));
      expect(await stateOf(value.transactionId)).to.be.oneOf(["Committed", "Confirmed"]);
    }
    expect(new Set(seen).size).to.equal(4);
  });

  describe("GET /assets/{assetId}/links", () => {
    it("lists both directions of links that stand, in the order of linking", async () => {
      const [a, b] = [first as AssetId, second as AssetId];
      await facts.link(parent, b);
      await facts.link(parent, a);
      await facts.link(a, parent);
      expect((await api.get(`/assets/${parent}/links`)).value).to.deep.equal({ from: [a], to: [b, a] });
      expect((await api.get(`/assets/${b}/links/`)).value).to.deep.equal({ from: [parent], to: [] });
      await facts.revoke(parent, b);
      expect((await api.get(`/assets/${parent}/links`)).value).to.deep.equal({ from: [a], to: [a] });
    });

    it("is empty for an asset without links, and for a pending one", async () => {
      const empty = { from: [], to: [] };
      expect((await api.get(`/assets/${parent}/links`)).value).to.deep.equal(empty);
      expect((await api.get(`/assets/${await pendingAsset()}/links`)).value).to.deep.equal(empty);
    });

    it("goes through many links page by page, and meets each once while others come and go", async () => {
      const parents: AssetId[] = [];
      for (let count = 0; count < 5; count += 1) {
        const other = await facts.asset();
        parents.push(other);
        await facts.link(other, parent);
      }
      await facts.link(parent, first as AssetId);
      const path = `/assets/${parent}/links`;
      const one = await api.get(`${path}?size=2`);
      expect(one.value).to.deep.equal({ from: parents.slice(0, 2), to: [first] });
      expect(one.meta).to.include({ size: 3, page: 1 });
      await facts.revoke(parents[0] as AssetId, parent);
      await facts.link(second as AssetId, parent);
      const two = await api.get(`${path}?size=2&cursor=${one.meta?.next}`);
      expect(two.value).to.deep.equal({ from: parents.slice(2, 4), to: [] });
      const three = await api.get(`${path}?size=2&cursor=${two.meta?.next}`);
      expect(three.value).to.deep.equal({ from: [parents[4], second], to: [] });
      expect(three.meta).to.deep.equal({ size: 2 });
      expect((await api.get(`${path}?size=2&page=2`)).value.from).to.deep.equal(parents.slice(3, 5));
      const elsewhere = await api.get(`/assets/${second}/links?cursor=${one.meta?.next}`);
      expectError(elsewhere, 400, "INVALID_REQUEST");
      expect(fieldsOf(elsewhere)).to.deep.equal(["cursor"]);
      for (const query of ["page=0", "size=1e3", "size=1&size=1", "from=1"]) {
        expect(fieldsOf(await api.get(`${path}?${query}`))).to.deep.equal([query.split("=")[0]]);
      }
    });

    it("answers a thousand of each direction at once, and a cursor for the rest", async () => {
      await api.pool.query(
        `insert into chain.links (parent, child, nth, block_number, transaction_index, log_index, transaction_hash)
         select sha256(n::text::bytea), $1, 1, $2, 0, n, sha256('x') from generate_series(1, 1001) n`,
        [Buffer.from(parent.slice(2), "hex"), facts.head],
      );
      const { value, meta } = await api.get(`/assets/${parent}/links`);
      expect(value.from).to.have.length(1_000);
      const rest = await api.get(`/assets/${parent}/links?cursor=${meta?.next}`);
      expect(rest.value.from).to.have.length(1);
      expect(rest.meta?.next).to.equal(undefined);
    });
  });
});
