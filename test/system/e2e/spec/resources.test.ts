import { expect } from "chai";
import { owner } from "../../../support/chain/accounts.ts";
import { type Service, startService } from "../../../support/service.ts";

const isoWithOffset = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/;

describe("docs/spec.md §2: resources and their fields", () => {
  let service: Service;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  describe("2.1 response envelope", () => {
    it("value: holds the payload", async () => {
      expect((await service.get("/health")).value).to.be.an("object");
    });

    it("value: is null when there is none", async () => {
      expect(await service.get("/nothing/here")).to.include({ value: null });
    });

    it("error: has a code and a message", async () => {
      const { error } = await service.get("/nothing/here");
      expect(error?.code).to.be.a("string");
      expect(error?.message).to.be.a("string");
    });

    it("meta: is left out where there is nothing to count", async () => {
      expect(await service.get("/health")).to.not.have.property("meta");
    });
  });

  describe("2.2 asset creation request", () => {
    const fields = {
      data: '{"flat":3}',
      fileName: "lease.pdf",
      fileType: "pdf",
      fileSize: "1024",
      method: "SHA2-256",
      hash: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      uri: "https://example.org/lease.pdf",
    };

    it("name: is shown to everyone", async () => {
      const { value } = await service.post("/assets/", { name: "Lease", author: owner.address });
      expect(value.name).to.equal("Lease");
    });

    it("author: is an address that starts with 0x", async () => {
      const { value } = await service.post("/assets/", {
        name: "Lease",
        author: owner.address.toLowerCase(),
      });
      expect(value.author).to.equal(owner.address);
    });

    for (const [field, text] of Object.entries(fields)) {
      it(`${field}: is optional and comes back as it was sent`, async () => {
        const { value } = await service.post("/assets/", {
          name: "Lease",
          author: owner.address,
          [field]: text,
        });
        expect(value.customDefinitionItems).to.have.length(1);
        expect(value.customDefinitionItems[0]).to.include({ key: field, value: text });
      });
    }

    it("rule 1: name and author are required", async () => {
      for (const body of [{ author: owner.address }, { name: "Lease" }]) {
        const { status, error } = await service.post("/assets/", body);
        expect(status).to.equal(400);
        expect(error?.details?.[0]?.field).to.equal("name" in body ? "author" : "name");
      }
    });

    it("rule 2: any hashing method is accepted", async () => {
      const { status } = await service.post("/assets/", {
        name: "Lease",
        author: owner.address,
        method: "my own method, version 7",
        hash: "whatever it gives",
      });
      expect(status).to.equal(202);
    });

    it("rule 3: the file fields go together with name and author, all of them or some", async () => {
      const all = await service.post("/assets/", { name: "Lease", author: owner.address, ...fields });
      expect(all.value.customDefinitionItems.map(({ key }: { key: string }) => key)).to.deep.equal(
        Object.keys(fields),
      );
      const some = await service.post("/assets/", {
        name: "Lease",
        author: owner.address,
        fileName: "a.txt",
      });
      expect(some.status).to.equal(202);
    });
  });

  describe("2.3 asset", () => {
    let asset: Record<string, string> & {
      customDefinitionItems: Record<string, string>[];
      assetLinkIds: string[];
    };

    before(async () => {
      const child = await service.createAsset();
      const parent = await service.createAsset({ data: "free text", fileName: "lease.pdf" });
      const link = await service.post(`/assets/${parent.id}/links`, { targetAssetIds: [child.id] });
      await service.carryOut(link.value.transactionId);
      asset = (await service.get(`/assets/${parent.id}`)).value;
      expect(asset.assetLinkIds).to.deep.equal([child.id]);
    });

    const constants = {
      description: "Registry asset",
      language: "en",
      jurisdiction: "EARTH",
      unitOfMeasure: "token",
      sparkFactor: "1",
      assetClass: "A017",
    };
    for (const [field, text] of Object.entries(constants)) {
      it(`${field}: is "${text}"`, () => expect(asset[field]).to.equal(text));
    }

    it("id: is 0x and 64 hex digits", () => expect(asset["id"]).to.match(/^0x[0-9a-f]{64}$/));
    it("author: is the owner's address", () => expect(asset["author"]).to.equal(owner.address));
    it("name: is the asset's name", () => expect(asset["name"]).to.equal("Lease"));
    it("sparkFactorModifier: is a serialised object", () => {
      const start = (asset["createdOn"] ?? "").replace(/(\.\d+)?\+00:00$/, "Z");
      expect(JSON.parse(asset["sparkFactorModifier"] ?? "")).to.deep.equal({
        type: "FORMULA",
        start,
        t: "1d",
        f: "1",
      });
    });
    it("createdOn: is ISO 8601 with an offset", () => expect(asset["createdOn"]).to.match(isoWithOffset));
    it("updatedOn: is ISO 8601 with an offset, not before createdOn", () => {
      expect(asset["updatedOn"]).to.match(isoWithOffset);
      expect(Date.parse(asset["updatedOn"] ?? "")).to.be.at.least(Date.parse(asset["createdOn"] ?? ""));
    });
    it("blockchainHash: is hex that starts with 0x", () =>
      expect(asset["blockchainHash"]).to.match(/^0x[0-9a-f]{64}$/));
    it("documentDbHash: is hex without 0x, and the same digits while the row is untouched", () =>
      expect(`0x${asset["documentDbHash"]}`).to.equal(asset["blockchainHash"]));
    it("documentDbHash: has other digits once somebody changed the row", async () => {
      const { id } = await service.createAsset({ data: "the truth" });
      const change = (data: string) =>
        service.pool.query("update chain.assets set data = $2 where id = $1", [
          Buffer.from(id.slice(2), "hex"),
          data,
        ]);
      await change("a lie");
      const { value } = await service.get(`/assets/${id}`);
      expect(`0x${value.documentDbHash}`).to.not.equal(value.blockchainHash);
      await change("the truth");
    });
    it("transactionId: names the generated transaction", async () => {
      const { status, value } = await service.get(`/transactions/${asset["transactionId"]}`);
      expect([status, value.assetId]).to.deep.equal([200, asset["id"]]);
    });
    it("customDefinitionItems: hold the free text with key data and type TEXT", () => {
      expect(asset.customDefinitionItems[0]).to.include({ key: "data", type: "TEXT", value: "free text" });
      for (const item of asset.customDefinitionItems) {
        expect(item).to.have.all.keys("key", "type", "value", "name", "sectionsPath", "sectionsPathNames");
        for (const text of Object.values(item)) expect(text).to.be.a("string");
      }
    });
    it("assetLinkIds: name the linked assets", () => expect(asset.assetLinkIds).to.have.length(1));
  });

  describe("2.4 asset link set", () => {
    let [parent, child] = ["", ""];

    before(async () => {
      parent = (await service.createAsset()).id;
      child = (await service.createAsset()).id;
      const { value } = await service.post(`/assets/${parent}/links`, { targetAssetIds: [child] });
      await service.carryOut(value.transactionId);
    });

    it("from: are the parents of the asset in the URL", async () => {
      expect((await service.get(`/assets/${child}/links`)).value).to.deep.equal({ from: [parent], to: [] });
    });
    it("to: are the children of the asset in the URL", async () => {
      expect((await service.get(`/assets/${parent}/links`)).value).to.deep.equal({ from: [], to: [child] });
    });
  });

  describe("2.5 asset state response", () => {
    it("id: is the parent; state: is an AssetState", async () => {
      const [parent, child] = [await service.createAsset(), await service.createAsset()];
      const { value } = await service.post(`/assets/${parent.id}/links`, { targetAssetIds: [child.id] });
      expect(value).to.have.all.keys("id", "state", "transactionId", "signUrl");
      expect(value).to.include({ id: parent.id, state: "Received" });
    });
  });

  describe("2.6 wallet, 2.7 wallet initialisation record", () => {
    let record: Record<string, string>;
    let wallet: Record<string, string>;

    before(async () => {
      const bearer = await service.token("alice");
      const labels = { name: "Main", description: "In the safe" };
      record = (await service.post("/wallets/", labels, { bearer, key: null })).value;
      const signature = await owner.signTypedData(JSON.parse(record["serializedValue"] ?? ""));
      const body = { ethereumAddress: owner.address, signature };
      wallet = (await service.post(`/wallets/${record["id"]}/confirm`, body, { bearer, key: null })).value;
    });

    it("2.6 id: is the one that the initialisation named", () => expect(wallet["id"]).to.equal(record["id"]));
    it("2.6 name: is the one that was given", () => expect(wallet["name"]).to.equal("Main"));
    it("2.6 description: is the one that was given", () =>
      expect(wallet["description"]).to.equal("In the safe"));
    it("2.6 ethereumAddress: is the address that signed", () =>
      expect(wallet["ethereumAddress"]).to.equal(owner.address));
    it("2.6 has no other field", () =>
      expect(wallet).to.have.all.keys("id", "name", "description", "ethereumAddress"));

    it("2.7 id: is a UUID", () => expect(record["id"]).to.match(/^[0-9a-f-]{36}$/));
    it("2.7 token: is what the holder signs, once", () =>
      expect(JSON.parse(record["serializedValue"] ?? "").message.token).to.equal(record["token"]));
    it("2.7 technology: is ETH", () => expect(record["technology"]).to.equal("ETH"));
    it("2.7 expiration: is ISO 8601 with an offset, in the future", () => {
      expect(record["expiration"]).to.match(isoWithOffset);
      expect(Date.parse(record["expiration"] ?? "")).to.be.above(Date.now());
    });
    it("2.7 serializedValue: is the typed data to sign, as JSON", () =>
      expect(JSON.parse(record["serializedValue"] ?? "")).to.include.keys(
        "domain",
        "types",
        "primaryType",
        "message",
      ));
    it("2.7 userId: is the user's subject", () => expect(record["userId"]).to.contain("alice"));
    it("2.7 has no other field", () =>
      expect(record).to.have.all.keys(
        "id",
        "token",
        "technology",
        "expiration",
        "serializedValue",
        "userId",
      ));
  });
});
