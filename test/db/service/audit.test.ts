import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { insertKey, keyDigest, revokeKey, rotateKey } from "../../../db/service/api-keys.ts";
import { insertAudit, removeOldAudit } from "../../../db/service/audit.ts";
import { useDatabase } from "../rows.ts";

describe("the rows of the audit trail", () => {
  const store = useDatabase();
  const nobody = { tenant: "acme", keyId: undefined, user: undefined, requestId: undefined, client: "c" };
  const add = () => insertAudit(store.pool, nobody, { kind: "wallet.removed", about: ["x"] });
  const rows = async () =>
    (await store.pool.query("select kind, tenant, key_id, actor from service.audit order by id")).rows;
  const remove = (what: string) =>
    store.pool.query(what).then(
      () => "done",
      (error) => error.code,
    );
  /** As if so many days had passed: a row cannot be changed. */
  const addOld = (days: number) =>
    store.pool.query(
      "insert into service.audit (kind, at, client) values ('old', now() - make_interval(days => $1), 'c')",
      [days],
    );

  it("are added to only: none is changed, none of the last month removed", async () => {
    await add();
    const refused = "42501";
    expect(await remove("update service.audit set tenant = 'other'")).to.equal(refused);
    expect(await remove("delete from service.audit")).to.equal(refused);
    expect(await remove("truncate service.audit")).to.equal(refused);
    expect(await rows()).to.have.length(1);
  });

  it("are removed some at a time when they are older than they are kept", async () => {
    for (const days of [29, 50, 50, 50, 80]) await addOld(days);
    expect(await removeOldAudit(store.pool, 3, 40)).to.equal(3);
    expect(await removeOldAudit(store.pool, 3, 40)).to.equal(1);
    expect((await rows()).filter(({ kind }) => kind === "old")).to.have.length(1);
  });

  it("tell of each change of a key and who made it, and of no secret", async () => {
    const id = randomUUID();
    const digest = keyDigest("a-key-of-acme-0123456789");
    await insertKey(store.pool, { id, tenant: "acme", name: "ERP", digest }, "root@host");
    await rotateKey(store.pool, { id, digest: keyDigest("another"), overlapSeconds: 60 }, "root@host");
    await revokeKey(store.pool, id, "eve@host");
    const told = (await rows()).filter(({ key_id: keyId }) => keyId === id);
    expect(told).to.deep.equal([
      { kind: "key.created", tenant: "acme", key_id: id, actor: "root@host" },
      { kind: "key.rotated", tenant: "acme", key_id: id, actor: "root@host" },
      { kind: "key.revoked", tenant: "acme", key_id: id, actor: "eve@host" },
    ]);
    const { rows: all } = await store.pool.query("select audit::text as text from service.audit audit");
    expect(JSON.stringify(all)).not.to.include(digest.toString("hex"));
  });
});
