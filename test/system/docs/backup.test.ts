import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import pg from "pg";
import { pino } from "pino";
import { migrate } from "../../../db/core/migrate.ts";
import { openPool } from "../../../db/core/pool.ts";
import { insertKey, keyDigest } from "../../../db/service/api-keys.ts";
import { runIndexer } from "../../../indexer/run.ts";
import { findInstalledBinaries } from "../../../scripts/local/postgres/binaries.ts";
import { type Postgres, startPostgres } from "../../../scripts/local/postgres/server.ts";
import { startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { root } from "../../support/program.ts";
import { type Rig, startRig } from "../../support/rigs/rig.ts";
import { signAs } from "../../support/sign.ts";

const run = promisify(execFile);

describe("backup and restore, as docs/operating.md has it", () => {
  const installed = findInstalledBinaries();
  let folder: string;
  let postgres: Postgres;

  before(async function () {
    // pg_dump must be of the server's version, so both come from the system's packages: the CI script installs them.
    if (installed === undefined) return this.skip();
    folder = await mkdtemp(join(tmpdir(), "asset-registry-backup-"));
    postgres = await startPostgres({ ephemeral: true, installed });
    for (const name of ["live", "restored"])
      await query(postgres.adminUrl, `create database ${name} template template0`);
  });
  after(async () => {
    await postgres?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const urlOf = (name: string) => postgres.adminUrl.replace(/\/[^/]*$/, `/${name}`);

  async function query(url: string, sql: string): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return await client.query(sql).finally(() => client.end());
  }

  /** The commands of the section, as they stand there. */
  async function commands(): Promise<string[]> {
    const text = await readFile(join(root, "docs", "operating.md"), "utf8");
    const section = text.split("\n## Backup and restore\n")[1]?.split("\n## ")[0] ?? "";
    return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, code = ""]) => code);
  }

  async function shell(code: string): Promise<void> {
    const env = {
      PATH: `${dirname(installed?.postgres ?? "")}:${process.env["PATH"]}`,
      DATABASE_URL: urlOf("live"),
      RESTORED_URL: urlOf("restored"),
    };
    await run("bash", ["-euc", code], { cwd: folder, env });
  }

  const apiOn = (name: string, rig: Rig): Promise<TestApi> =>
    startApi({
      database: { url: urlOf(name), drop: async () => {} },
      rpcUrl: rig.anvil.url,
      registry: rig.registry,
      indexed: false,
    });

  it("brings back requests, keys and wallets, and the chain the rest", async () => {
    await migrate(urlOf("live"));
    const rig = await startRig({ database: { url: urlOf("live"), drop: async () => {} } });
    let [live, restored]: (TestApi | undefined)[] = [];
    try {
      await rig.startIndexer();
      live = await apiOn("live", rig);
      const create = async (name: string) =>
        (await (live as TestApi).post("/assets/", { name, author: owner.address })).value;
      async function carryOut({ transactionId }: { transactionId: string }): Promise<void> {
        const { value } = await (live as TestApi).get(`/transactions/${transactionId}`);
        const signedTransaction = await signAs(owner, value, {
          nonce: value.nextNonce,
          gas: BigInt(value.gas),
        });
        await (live as TestApi).post(`/transactions/${transactionId}/submit`, { signedTransaction });
        await rig.reach(transactionId, "Submitted");
        await rig.mine();
        await rig.reach(transactionId, "Committed");
      }
      const key = "a-key-of-the-database-0123456789";
      const made = { id: randomUUID(), tenant: "tenant-a", name: "backup", digest: keyDigest(key) };
      await insertKey(rig.pool, made, "test");
      const [registered, waiting] = [await create("registered before"), await create("unsigned")];
      await carryOut(registered);

      const [dump = "", restore = ""] = await commands();
      await shell(dump);
      const later = await create("registered after the backup");
      await carryOut(later);
      await rig.mine(5);
      await rig.reach(later.transactionId, "Confirmed");
      await rig.stopIndexer();
      await shell(restore);

      expect(await migrate(urlOf("restored"))).to.deep.equal([]);
      const second = await startIndexerOn(rig);
      try {
        restored = await apiOn("restored", rig);
        const get = (path: string) => (restored as TestApi).get(path, { key });
        expect((await get(`/assets/${registered.id}/status`)).value).to.include({
          state: "Confirmed",
          transactionId: registered.transactionId,
        });
        expect((await get(`/assets/${waiting.id}/status`)).value.state).to.equal("Received");
        // Its request is lost, but what the author registered is not.
        const { value } = await get(`/assets/${later.id}`);
        expect(value).to.include({ name: "registered after the backup" });
        expect(value.transactionId).to.match(/^0x[0-9a-f]{64}$/);
      } finally {
        await second();
      }
    } finally {
      await restored?.stop();
      await live?.stop();
      await rig.stop();
    }
  });

  /** Fills the restored database from the chain, up to its head. @returns what stops it */
  async function startIndexerOn(rig: Rig): Promise<() => Promise<void>> {
    const abort = new AbortController();
    const ended = runIndexer(
      {
        DATABASE_URL: urlOf("restored"),
        RPC_URL: [rig.anvil.url],
        REGISTRY_ADDRESS: rig.registry.address,
        START_BLOCK: rig.deployment.blockNumber,
        CONFIRMATIONS: 5,
        POLL_INTERVAL: 50,
        LEASE_SECONDS: 15,
      },
      pino({ level: "silent" }),
      abort.signal,
    );
    const pool = openPool(urlOf("restored"), { application: "test", max: 1 });
    const head = await rig.chain.getBlock();
    await eventually(
      "the chain read",
      async () => (await pool.query("select block_number::int as number from chain.cursor")).rows[0]?.number,
      (number) => number === Number(head.number),
      60,
    ).finally(() => pool.end());
    return async () => {
      abort.abort();
      await ended;
    };
  }
});
