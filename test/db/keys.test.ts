import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { insertKey, keyDigest, listKeys, revokeKey, tenantsOfKeys } from "../../db/keys.ts";
import { useDatabase } from "./rows.ts";

describe("API keys", () => {
  const store = useDatabase();

  async function make(key: string, tenant = "acme", name = "laptop"): Promise<string> {
    const id = randomUUID();
    await insertKey(store.pool, { id, tenant, name, digest: keyDigest(key) });
    return id;
  }
  const tenantOf = async (key: string) => (await tenantsOfKeys(store.pool, [keyDigest(key)]))[0];

  it("are known by the SHA-256 of their characters", () => {
    expect(keyDigest("abc").toString("hex")).to.equal(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });

  it("belong to the tenant that they were made for, to the last character", async () => {
    await make("a key");
    await make("another key", "globex");
    expect(await tenantOf("a key")).to.equal("acme");
    expect(await tenantOf("another key")).to.equal("globex");
    for (const wrong of ["", "a key ", "A key", "a ke", "a key\0"])
      expect(await tenantOf(wrong)).to.equal(undefined);
  });

  it("are kept nowhere: no column holds the key", async () => {
    await make("a secret key");
    const { rows } = await store.pool.query<{ row: string }>(
      "select api_keys::text as row from service.api_keys",
    );
    expect(rows[0]?.row).to.be.a("string").and.not.include("a secret key");
    expect(rows[0]?.row).to.not.include(Buffer.from("a secret key").toString("hex"));
  });

  it("end at once and for good when they are revoked, and the others stay", async () => {
    const id = await make("a key");
    await make("another key");
    expect(await revokeKey(store.pool, id)).to.equal(true);
    expect(await tenantOf("a key")).to.equal(undefined);
    expect(await tenantOf("another key")).to.equal("acme");
    expect(await revokeKey(store.pool, id)).to.equal(false);
    expect(await revokeKey(store.pool, randomUUID())).to.equal(false);
  });

  it("are revoked by one of several who try at once", async () => {
    const id = await make("a key");
    const done = await Promise.all(Array.from({ length: 8 }, () => revokeKey(store.pool, id)));
    expect(done.filter(Boolean)).to.have.lengthOf(1);
  });

  it("cannot be made twice", async () => {
    await make("a key");
    const error = await make("a key", "globex").catch((reason: unknown) => reason);
    expect(error).to.include({ code: "23505" });
    expect(await tenantOf("a key")).to.equal("acme");
  });

  it("are listed oldest first, the revoked ones too", async () => {
    const first = await make("first");
    const second = await make("second", "globex", "");
    await revokeKey(store.pool, first);
    const keys = await listKeys(store.pool);
    expect(keys.map(({ id, tenant, name }) => [id, tenant, name])).to.deep.equal([
      [first, "acme", "laptop"],
      [second, "globex", ""],
    ]);
    expect(keys[0]?.revokedAt).to.be.instanceOf(Date);
    expect(keys[1]?.revokedAt).to.equal(undefined);
    expect(keys.every(({ createdAt }) => createdAt instanceof Date)).to.equal(true);
  });
});
