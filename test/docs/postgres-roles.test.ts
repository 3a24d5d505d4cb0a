import { randomBytes, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import pg from "pg";
import { pino } from "pino";
import { migrate } from "../../db/core/migrate.ts";
import { openPool } from "../../db/core/pool.ts";
import { insertKey, keyDigest } from "../../db/service/api-keys.ts";
import { reindex } from "../../indexer/sync/reindex.ts";
import { connectNode } from "../../rpc/node.ts";
import { expectError, startApi, type TestApi } from "../support/api.ts";
import { owner } from "../support/chain/accounts.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { eventually } from "../support/eventually.ts";
import { type Rig, startRig } from "../support/rigs/rig.ts";
import { signAs } from "../support/sign.ts";

const roles = ["registry_owner", "registry_api", "registry_reader"] as const;

describe("docs/postgres", () => {
  /** Roles belong to the whole cluster, which other tests use at the same time. */
  const suffix = randomBytes(6).toString("hex");
  const password = randomBytes(12).toString("hex");
  let database: TestDatabase;
  let rig: Rig;
  let api: TestApi;

  const roleName = (role: string) => `${role}_${suffix}`;
  async function sqlOf(file: string): Promise<string> {
    const text = await readFile(join(import.meta.dirname, "..", "..", "docs", "postgres", file), "utf8");
    return text.replace(/\bregistry_(owner|api|reader)\b/g, (role) => roleName(role));
  }
  function urlAs(role: (typeof roles)[number]): string {
    const url = new URL(database.url);
    url.username = roleName(role);
    url.password = password;
    return url.href;
  }
  async function run(url: string, sql: string): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await client.query(sql);
    } finally {
      await client.end();
    }
  }
  const refusal = (sql: string) =>
    run(urlAs("registry_api"), sql).then(
      () => "allowed",
      (error: pg.DatabaseError) => error.code,
    );

  before(async () => {
    database = await createEmptyDatabase();
    // Twice, as on a second database of the same server.
    for (let time = 1; time <= 2; time += 1) await run(database.url, await sqlOf("roles.sql"));
    for (const role of roles) await run(database.url, `alter role ${roleName(role)} password '${password}'`);
    await migrate(urlAs("registry_owner"));
    await run(urlAs("registry_owner"), await sqlOf("grants.sql"));
    rig = await startRig({ database: { ...database, url: urlAs("registry_owner") } });
    await rig.startIndexer();
    api = await startApi({
      database: { ...database, url: urlAs("registry_api") },
      rpcUrl: rig.anvil.url,
      registry: rig.registry,
      indexed: false,
    });
  });
  after(async () => {
    await api?.stop();
    await rig?.stop();
    await database?.drop();
    // They own nothing any more, and roles outlive databases.
    const admin = database.url.replace(/\/[^/]*$/, "/postgres");
    for (const role of roles) await run(admin, `drop role if exists ${roleName(role)}`);
  });

  it("let the service work: a request, its signature, its state, and a list after a reindex", async () => {
    const headers = { "Idempotency-Key": "roles" };
    const body = { name: "Lease", author: owner.address };
    const created = await api.post("/assets/", body, { headers });
    expect(created.status).to.equal(202);
    const { id, transactionId } = created.value;
    const { value } = await api.get(`/transactions/${transactionId}`);
    const signedTransaction = await signAs(owner, value, { nonce: value.nextNonce, gas: BigInt(value.gas) });
    expect((await api.post(`/transactions/${transactionId}/submit`, { signedTransaction })).status).to.equal(
      202,
    );
    await rig.reach(transactionId, "Submitted");
    await rig.mine();
    await rig.reach(transactionId, "Committed");
    await rig.mine(130);
    await rig.reach(transactionId, "Confirmed");
    const pool = openPool(urlAs("registry_owner"), { application: "test reindex", max: 3, patient: true });
    try {
      await reindex({ pool, node: connectNode([rig.anvil.url]), log: pino({ level: "silent" }) });
    } finally {
      await pool.end();
    }
    const listed = await api.get("/assets/");
    expect(listed.value.map((asset: { id: string }) => asset.id)).to.deep.equal([id]);
    expect((await api.get(`/assets/${id}/status`)).value.state).to.equal("Confirmed");
  });

  it("let the API note the use of a key that it cannot make, change or end", async () => {
    const owners = openPool(urlAs("registry_owner"), { application: "test keys", max: 1 });
    const key = "a-key-of-the-database-0123456789";
    const made = { id: randomUUID(), tenant: "tenant-a", name: "roles", digest: keyDigest(key) };
    await insertKey(owners, made, "test").finally(() => owners.end());
    expect((await api.get("/assets/", { key })).status).to.equal(200);
    await eventually(
      "the use of the key noted",
      async () => (await run(urlAs("registry_owner"), "select last_used_at from service.api_keys")).rows[0],
      (row) => row?.last_used_at instanceof Date,
    );
    for (const sql of [
      "update service.api_keys set revoked_at = null",
      "insert into service.api_keys (id, tenant, name, digest) values (gen_random_uuid(), 't', 'n', sha256('k'))",
      "delete from service.api_keys",
      "delete from service.api_key_changes",
      "delete from chain.assets",
      "update chain.cursor set block_number = 0",
      "update service.indexer_lease set expires_at = now()",
      "update service.audit set tenant = 'another'",
      "delete from service.audit",
      "delete from service.indexer_waits",
      "create table service.mine (id int)",
      "create table public.mine (id int)",
    ]) {
      expect(await refusal(sql), sql).to.equal("42501");
    }
  });

  it("keep an API that comes before them not ready, which goes on once they are there", async () => {
    const answers = (status: number) =>
      eventually(
        `readiness ${status}`,
        () => api.get("/ready"),
        (answer) => answer.status === status,
      );
    await answers(200);
    await run(
      urlAs("registry_owner"),
      `revoke all on all tables in schema service, public from ${roleName("registry_api")}`,
    );
    try {
      const request = () => api.post("/assets/", { name: "Lease", author: owner.address });
      for (const answer of [await answers(503), await request()]) {
        expect(expectError(answer, 503, "NOT_READY").message).to.contain("docs/postgres/grants.sql");
      }
    } finally {
      await run(urlAs("registry_owner"), await sqlOf("grants.sql"));
    }
    await answers(200);
  });

  it("show a reader the index and no credential", async () => {
    const reader = urlAs("registry_reader");
    expect((await run(reader, "select count(*)::int as count from chain.assets")).rows).to.deep.equal([
      { count: 1 },
    ]);
    for (const table of ["api_keys", "requests", "transactions", "idempotency_keys", "wallets", "relays"]) {
      const code = await run(reader, `select from service.${table}`).then(
        () => "allowed",
        (error: pg.DatabaseError) => error.code,
      );
      expect(code, table).to.equal("42501");
    }
  });
});
