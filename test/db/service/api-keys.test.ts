import { randomUUID } from "node:crypto";
import { expect } from "chai";
import {
  holdersOfKeys,
  insertKey,
  keyChanges,
  keyDigest,
  listKeys,
  recordKeyUse,
  revokeKey,
  rotateKey,
} from "../../../db/service/api-keys.ts";
import { useDatabase } from "../rows.ts";

describe("API keys", () => {
  const store = useDatabase();

  async function make(key: string, tenant = "acme", name = "laptop"): Promise<string> {
    const id = randomUUID();
    await insertKey(store.pool, { id, tenant, name, digest: keyDigest(key) }, "me@here");
    return id;
  }
  const tenantOf = async (key: string) => (await holdersOfKeys(store.pool, [keyDigest(key)]))[0]?.tenant;
  const rotate = (id: string, key: string, overlapSeconds: number) =>
    rotateKey(store.pool, { id, digest: keyDigest(key), overlapSeconds }, "me@here");

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
    expect(await revokeKey(store.pool, id, "me@here")).to.equal(true);
    expect(await tenantOf("a key")).to.equal(undefined);
    expect(await tenantOf("another key")).to.equal("acme");
    expect(await revokeKey(store.pool, id, "me@here")).to.equal(false);
    expect(await revokeKey(store.pool, randomUUID(), "me@here")).to.equal(false);
  });

  it("are revoked by one of several who try at once", async () => {
    const id = await make("a key");
    const done = await Promise.all(Array.from({ length: 8 }, () => revokeKey(store.pool, id, "me@here")));
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
    await revokeKey(store.pool, first, "me@here");
    const keys = await listKeys(store.pool);
    expect(keys.map(({ id, tenant, name }) => [id, tenant, name])).to.deep.equal([
      [first, "acme", "laptop"],
      [second, "globex", ""],
    ]);
    expect(keys[0]?.revokedAt).to.be.instanceOf(Date);
    expect(keys[1]?.revokedAt).to.equal(undefined);
    expect(keys.every(({ createdAt }) => createdAt instanceof Date)).to.equal(true);
  });

  it("take another secret by rotation, and the old one works until its overlap is over", async () => {
    const id = await make("first");
    await rotate(id, "second", 3600);
    for (const key of ["first", "second"]) expect(await tenantOf(key)).to.equal("acme");
    await store.pool.query("update service.api_keys set previous_until = now()");
    expect(await tenantOf("first")).to.equal(undefined);
    expect(await tenantOf("second")).to.equal("acme");
  });

  it("have two secrets at most: another rotation ends the one before the last", async () => {
    const id = await make("first");
    await rotate(id, "second", 3600);
    await rotate(id, "third", 3600);
    expect(await tenantOf("first")).to.equal(undefined);
    expect(await tenantOf("second")).to.equal("acme");
    await rotate(id, "fourth", 0);
    for (const key of ["second", "third"]) expect(await tenantOf(key)).to.equal(undefined);
    expect(await tenantOf("fourth")).to.equal("acme");
  });

  it("cannot be rotated when they are revoked or unknown", async () => {
    const id = await make("first");
    await revokeKey(store.pool, id, "me@here");
    expect(await rotate(id, "second", 0)).to.equal(undefined);
    expect(await rotate(randomUUID(), "third", 0)).to.equal(undefined);
    for (const key of ["second", "third"]) expect(await tenantOf(key)).to.equal(undefined);
  });

  it("say to the minute when they were used last", async () => {
    const id = await make("a key");
    const lastUse = async () => (await listKeys(store.pool))[0]?.lastUsedAt?.getTime();
    expect(await lastUse()).to.equal(undefined);
    await recordKeyUse(store.pool, id);
    const first = await lastUse();
    expect(Date.now() - (first ?? 0)).to.be.within(0, 60_000);
    await recordKeyUse(store.pool, id);
    expect(await lastUse()).to.equal(first);
    await store.pool.query("update service.api_keys set last_used_at = now() - interval '61 seconds'");
    await recordKeyUse(store.pool, id);
    expect(await lastUse()).to.be.at.least(first ?? 0);
  });

  it("log every change that took place, and none that did not", async () => {
    const id = await make("a key");
    await rotate(id, "another key", 60);
    await revokeKey(store.pool, id, "you@there");
    await revokeKey(store.pool, id, "you@there");
    await rotate(id, "a third key", 60);
    await make("another key").catch(() => undefined);
    const changes = await keyChanges(store.pool, id);
    expect(changes.map(({ change, actor }) => [change, actor])).to.deep.equal([
      ["created", "me@here"],
      ["rotated", "me@here"],
      ["revoked", "you@there"],
    ]);
    expect(changes[0]?.details).to.deep.equal({ tenant: "acme", name: "laptop", scopes: ["read", "write"] });
    expect(changes[1]?.details).to.have.keys("previousUntil");
  });

  for (const statement of [
    "update service.api_key_changes set actor = 'nobody'",
    "delete from service.api_key_changes",
    "truncate service.api_key_changes",
  ]) {
    it(`keep their log from: ${statement.replace(/ set.*/, "")}`, async () => {
      const id = await make("a key");
      const error = await store.pool.query(statement).catch((reason: unknown) => reason);
      expect(error).to.include({ code: "42501" });
      expect(await keyChanges(store.pool, id)).to.have.lengthOf(1);
    });
  }
});
