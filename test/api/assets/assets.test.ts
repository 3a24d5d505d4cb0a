import { expect } from "chai";
import { detailFields } from "../../../domain/asset/asset.ts";
import { limits } from "../../../domain/limits.ts";
import { expectError, fieldsOf, keys, startApi, type TestApi } from "../../support/api.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";

const file = {
  name: "Lease",
  data: '{"b":1.0,"a":12345678901234567890,"a":2,"k\'/#":"é\\t"}',
  fileName: "lease.pdf",
  fileType: "pdf",
  fileSize: "12345678901234567890",
  method: "SHA2-256",
  hash: "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
  uri: "https://example.org/lease.pdf",
};

describe("assets", () => {
  let api: TestApi;
  let facts: ReturnType<typeof chainFacts>;

  before(async () => {
    api = await startApi();
    facts = chainFacts(api.pool, api.registry);
  });
  after(() => api.stop());

  const create = (fields: object = {}) =>
    api.post("/assets/", { name: "Lease", author: owner.address, ...fields });

  describe("POST /assets/", () => {
    it("answers 202 with the Asset of docs/spec.md §2.3, received and not yet on the chain", async () => {
      const { status, value } = await create(file);
      expect(status).to.equal(202);
      expect(value).to.include({
        author: owner.address,
        name: "Lease",
        description: "Registry asset",
        language: "en",
        jurisdiction: "EARTH",
        unitOfMeasure: "token",
        sparkFactor: "1",
        assetClass: "A017",
        state: "Received",
      });
      expect(value.id).to.match(/^0x[0-9a-f]{64}$/);
      expect(value.blockchainHash).to.match(/^0x[0-9a-f]{64}$/);
      expect(value.documentDbHash).to.equal(value.blockchainHash.slice(2));
      expect(value.salt).to.match(/^0x[0-9a-f]{64}$/);
      expect(value.transactionId).to.match(/^[0-9a-f-]{36}$/);
      expect(value.createdOn).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
      expect(value.assetLinkIds).to.deep.equal([]);
      expect(JSON.parse(value.sparkFactorModifier)).to.deep.equal({
        type: "FORMULA",
        start: `${value.createdOn.slice(0, 19)}Z`,
        t: "1d",
        f: "1",
      });
    });

    it("shows the free text and each file field as an item", async () => {
      const { value } = await create(file);
      expect(value.customDefinitionItems[0]).to.deep.equal({
        key: "data",
        type: "TEXT",
        value: file.data,
        name: "Data",
        sectionsPath: "[documentation]",
        sectionsPathNames: "[Documentation]",
      });
      expect(
        value.customDefinitionItems
          .slice(1)
          .map(({ key, value }: { key: string; value: string }) => [key, value]),
      ).to.deep.equal(detailFields.slice(2).map((field) => [field, file[field]]));
      for (const item of value.customDefinitionItems.slice(1)) {
        expect(item).to.include({
          type: "STRING",
          sectionsPath: "[documentation][singlefile]",
          sectionsPathNames: "[Documentation][single file]",
        });
      }
    });

    it("takes an empty optional text as absent", async () => {
      const { value } = await create({ data: "", fileName: "", uri: "" });
      expect(value.customDefinitionItems).to.deep.equal([]);
    });

    it("gives two requests for the same content two ids", async () => {
      expect((await create()).value.id).not.to.equal((await create()).value.id);
    });

    it("keeps emoji, escapes and combining marks exactly as they were sent", async () => {
      for (const text of [
        "\u{1f600}",
        "\\u0000",
        " a ",
        "M\u00fcller",
        "Mu\u0308ller",
        "\ufeffx",
        "a\r\nb",
      ]) {
        const { value } = await create({ name: text, data: text });
        const read = await api.get(`/assets/${value.id}`);
        expect(read.value.name).to.equal(text);
        expect(read.value.customDefinitionItems[0].value).to.equal(text);
      }
    });

    it("refuses NUL and lone surrogates by the name of the field", async () => {
      for (const broken of ["x\u0000y", "\ud800", "\udc00\ud800"]) {
        const answer = await create({ name: broken, data: broken });
        expectError(answer, 400, "INVALID_REQUEST");
        expect(fieldsOf(answer)).to.deep.equal(["name", "data"]);
      }
    });

    it("takes an address in lower, upper and checksum case, and answers the checksum", async () => {
      const digits = owner.address.slice(2);
      for (const author of [owner.address, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`]) {
        expect((await create({ author })).value.author).to.equal(owner.address);
      }
    });

    it("refuses a wrong checksum and 0X", async () => {
      for (const author of ["0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266", `0X${owner.address.slice(2)}`]) {
        const answer = await create({ author });
        expectError(answer, 400, "INVALID_REQUEST");
        expect(fieldsOf(answer)).to.deep.equal(["author"]);
      }
    });

    it("counts characters and not bytes: 256 emoji are a name, 257 are none", async () => {
      expect((await create({ name: "\u{1f600}".repeat(256) })).status).to.equal(202);
      const { details } = expectError(
        await create({ name: "\u{1f600}".repeat(257) }),
        400,
        "INVALID_REQUEST",
      );
      expect(details).to.deep.equal([
        { field: "name", message: "must have at most 256 characters, not 257" },
      ]);
    });

    it("takes the longest data, and refuses at once what no transaction can carry", async () => {
      expect((await create({ data: "x".repeat(limits.text.data) })).status).to.equal(202);
      const { details } = expectError(
        await create({ data: "\u20ac".repeat(limits.text.data) }),
        400,
        "INVALID_REQUEST",
      );
      expect(details?.[0]?.field).to.equal("data");
    });

    it("takes the last of two names, as JSON does, and none of the fields that the service owns", async () => {
      const twice = await api.post("/assets/", `{"name":"a","author":"${owner.address}","name":"b"}`);
      expect(twice.value.name).to.equal("b");
      const owned = { state: "Confirmed", id: "0x00", blockchainHash: "0x00" };
      const answer = await create(owned);
      expectError(answer, 400, "INVALID_REQUEST");
      expect(fieldsOf(answer)).to.have.members(Object.keys(owned));
    });

    it("works while the node is down: the index knows the chain", async () => {
      expect(await api.services.chain.chainId().catch(({ name }: Error) => name)).to.equal("NodeError");
      expect((await create()).status).to.equal(202);
    });
  });

  describe("GET /assets/{assetId}", () => {
    it("answers a pending asset to its tenant as POST did", async () => {
      const { value } = await create(file);
      const { value: read, status } = await api.get(`/assets/${value.id}/`);
      expect(status).to.equal(200);
      expect(read).to.deep.equal(value);
    });

    it("takes the id in any case", async () => {
      const { value } = await create();
      const shouted = `0x${value.id.slice(2).toUpperCase()}`;
      expect((await api.get(`/assets/${shouted}`)).value.id).to.equal(value.id);
    });

    it("hides a pending asset from other tenants, and shows them what is on the chain", async () => {
      const { value } = await create();
      const path = `/assets/${value.id}`;
      const key = keys["tenant-b"];
      for (const hidden of [path, `${path}/status`, `${path}/links`]) {
        expectError(await api.get(hidden, { key }), 404, "ASSET_NOT_FOUND");
      }
      await facts.create(value.transactionId);
      for (const seen of [path, `${path}/status`, `${path}/links`]) {
        expect((await api.get(seen, { key })).status).to.equal(200);
      }
    });

    it("answers the same asset on the chain, with the time of its block", async () => {
      const { value } = await create(file);
      await facts.create(value.transactionId);
      const { value: read } = await api.get(`/assets/${value.id}`);
      const time = facts.timeOf(facts.head).toISOString().replace("Z", "+00:00");
      expect(read).to.deep.equal({
        ...value,
        state: "Committed",
        createdOn: time,
        updatedOn: time,
        sparkFactorModifier: read.sparkFactorModifier,
      });
    });

    it("answers an asset that was made without the service, by the hash of its transaction", async () => {
      const id = await facts.asset({ name: "Direct" }, other.address);
      const { value } = await api.get(`/assets/${id}`);
      expect(value).to.include({ id, name: "Direct", author: other.address, state: "Committed" });
      expect(value.transactionId).to.equal(facts.transactionHashOf(facts.head));
    });

    it("names what it points to, and moves updatedOn when a link changes", async () => {
      const [parent, child] = [await facts.asset(), await facts.asset()];
      await facts.link(parent, child);
      const linked = (await api.get(`/assets/${parent}`)).value;
      expect(linked.assetLinkIds).to.deep.equal([child]);
      expect(new Date(linked.updatedOn)).to.deep.equal(facts.timeOf(facts.head));
      await facts.revoke(parent, child);
      const revoked = (await api.get(`/assets/${parent}`)).value;
      expect(revoked.assetLinkIds).to.deep.equal([]);
      expect(new Date(revoked.updatedOn)).to.deep.equal(facts.timeOf(facts.head));
    });

    it("shows a NUL byte and broken UTF-8 from the chain by a mark, and hashes the true bytes", async () => {
      const name = new Uint8Array([65, 0, 66]);
      const id = await facts.asset({ name, data: new Uint8Array([0xff, 0x68]) });
      const { value } = await api.get(`/assets/${id}`);
      expect(value.name).to.equal("A\u2400B");
      expect(value.customDefinitionItems[0].value).to.equal("\ufffdh");
      const shown = await facts.asset({ name: "A\u2400B", data: "\ufffdh" });
      expect((await api.get(`/assets/${shown}`)).value.blockchainHash).not.to.equal(value.blockchainHash);
      expect(value.documentDbHash).to.equal(value.blockchainHash.slice(2));
    });

    it("shows by the two hashes that somebody changed the database's copy", async () => {
      const id = await facts.asset({ name: "Lease", data: "1,000" });
      const before = (await api.get(`/assets/${id}`)).value;
      await api.pool.query("update chain.assets set data = '9,000' where id = decode($1, 'hex')", [
        id.slice(2),
      ]);
      const { value } = await api.get(`/assets/${id}`);
      expect(value.blockchainHash).to.equal(before.blockchainHash);
      expect(value.documentDbHash).to.match(/^[0-9a-f]{64}$/);
      expect(value.documentDbHash).not.to.equal(before.documentDbHash);
    });

    it("answers 404 to an id that nobody knows, and to what is no id", async () => {
      for (const id of [
        `0x${"0".repeat(64)}`,
        "0x12",
        "lease",
        "0X".padEnd(66, "a"),
        "__proto__",
        "%00",
        "%F0%9F%98%80",
      ]) {
        expectError(await api.get(`/assets/${id}`), 404, "ASSET_NOT_FOUND");
        expectError(await api.get(`/assets/${id}/status`), 404, "ASSET_NOT_FOUND");
        expectError(await api.get(`/assets/${id}/links`), 404, "ASSET_NOT_FOUND");
      }
    });
  });

  describe("GET /assets/{assetId}/status", () => {
    it("follows an asset from Received to Confirmed, with every step in the history", async () => {
      const { value } = await create();
      const path = `/assets/${value.id}/status`;
      const received = (await api.get(path)).value;
      expect(received).to.include({ id: value.id, state: "Received", transactionId: value.transactionId });
      expect(received).not.to.have.any.keys("transactionHash", "blockNumber", "confirmations", "reason");

      await facts.create(value.transactionId);
      const blockNumber = facts.head;
      const committed = (await api.get(path)).value;
      expect(committed).to.include({
        state: "Committed",
        blockNumber,
        confirmations: 1,
        requiredConfirmations: 5,
      });
      expect(committed.transactionHash).to.equal(facts.transactionHashOf(blockNumber));

      await facts.emptyBlocks(4);
      const confirmed = (await api.get(path)).value;
      expect(confirmed).to.include({ state: "Confirmed", blockNumber, confirmations: 5 });
      const states = confirmed.history.map(({ state }: { state: string }) => state);
      expect(states).to.deep.equal(["Received", "Committed", "Confirmed"]);
    });

    it("says that a request expired, before any indexer has noted it", async () => {
      const { value } = await create();
      await api.pool.query(
        "update service.requests set expires_at = now() - interval '1 minute' where id = $1",
        [value.transactionId],
      );
      const status = (await api.get(`/assets/${value.id}/status`)).value;
      expect(status).to.include({ state: "RevokedByTxServer", reason: "EXPIRED" });
      expect(status.history.at(-1)).to.include({ state: "RevokedByTxServer", reason: "EXPIRED" });
    });

    it("derives the state of an asset that was made without the service", async () => {
      const id = await facts.asset();
      const blockNumber = facts.head;
      await facts.emptyBlocks(4);
      const { value } = await api.get(`/assets/${id}/status`);
      const transactionHash = facts.transactionHashOf(blockNumber);
      expect(value).to.include({ state: "Confirmed", transactionHash, transactionId: transactionHash });
      expect(value).not.to.have.property("signUrl");
      expect(value.history).to.deep.equal([
        {
          state: "Committed",
          at: facts.timeOf(blockNumber).toISOString().replace("Z", "+00:00"),
          transactionHash,
          blockNumber,
        },
      ]);
    });
  });

  it("answers the same instants whatever the time zones of this process and of the database are", async () => {
    const zone = process.env["TZ"];
    process.env["TZ"] = "America/St_Johns";
    const elsewhere = await startApi({ timeZone: "Asia/Kathmandu" });
    try {
      const { rows } = await elsewhere.pool.query("show timezone");
      expect(rows[0].TimeZone).to.equal("Asia/Kathmandu");
      const asked = await elsewhere.post("/assets/", { name: "Elsewhere", author: owner.address });
      expect(asked.value.createdOn).to.match(/\+00:00$/);
      expect(Math.abs(Date.parse(asked.value.createdOn) - Date.now())).to.be.lessThan(60_000);
      const itsFacts = chainFacts(elsewhere.pool, elsewhere.registry);
      await itsFacts.create(asked.value.transactionId);
      const { value } = await elsewhere.get(`/assets/${asked.value.id}`);
      expect(value.createdOn).to.equal("2026-01-01T00:00:12.000+00:00");
      expect(JSON.parse(value.sparkFactorModifier).start).to.equal("2026-01-01T00:00:12Z");
    } finally {
      await elsewhere.stop();
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });
});
