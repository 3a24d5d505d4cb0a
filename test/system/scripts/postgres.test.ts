import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import pg from "pg";

import { freePort } from "../../../scripts/local/ports.ts";
import { findBinaries } from "../../../scripts/local/postgres/binaries.ts";
import { postmasterPid } from "../../../scripts/local/postgres/cluster.ts";
import { type Postgres, startPostgres } from "../../../scripts/local/postgres/server.ts";
import { isRunning, root, runNode, untilGone } from "../../support/program.ts";

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

describe("startPostgres", () => {
  let parent: string;
  let dataDir: string;
  let open: Postgres[];

  const start = async (...args: Parameters<typeof startPostgres>) => {
    const postgres = await startPostgres(...args);
    open.push(postgres);
    return postgres;
  };

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), "postgres-"));
    dataDir = join(parent, "postgres");
    open = [];
  });

  afterEach(async () => {
    for (const postgres of open) {
      await postgres.stop();
      // Root's own folders are closed to the user that PostgreSQL runs as: the files are elsewhere.
      if (!postgres.folder.startsWith(parent))
        rmSync(dirname(postgres.folder), { recursive: true, force: true });
    }
    rmSync(parent, { recursive: true, force: true });
  });

  it("gives the product's database, the same on every machine", async () => {
    const { url } = await start({ ephemeral: true });
    expect(new URL(url).hostname).to.equal("127.0.0.1");
    const [row] = await query(
      url,
      `select current_database() as name, pg_encoding_to_char(encoding) as encoding, datlocprovider as provider,
         datlocale as locale, current_setting('timezone') as timezone, current_setting('listen_addresses') as listens,
         current_setting('unix_socket_directories') as sockets
       from pg_database where datname = current_database()`,
    );
    expect(row).to.deep.equal({
      name: "asset_registry",
      encoding: "UTF8",
      provider: "b",
      locale: "C.UTF-8",
      timezone: "UTC",
      listens: "127.0.0.1",
      sockets: "",
    });
  });

  it("lets nobody in without the password, which is new for each cluster", async () => {
    const [one, two] = await Promise.all([start({ ephemeral: true }), start({ ephemeral: true })]);
    const passwords = [one, two].map(({ url }) => new URL(url).password);
    expect(passwords[0])
      .to.match(/^[0-9a-f]{48}$/)
      .and.not.equal(passwords[1]);
    const wrong = new URL(one.url);
    wrong.password = passwords[1] ?? "";
    const error = await query(wrong.href, "select 1").catch((caught: Error) => caught);
    expect(error).to.have.property("message").that.includes("password authentication failed");
  });

  it("keeps what is in the folder from one start to the next, and the password to its owner", async () => {
    const first = await start({ dataDir });
    await query(first.url, "create table kept (n int)");
    await first.stop();
    expect(statSync(`${dataDir}.password`).mode & 0o777).to.equal(0o600);
    const second = await start({ dataDir });
    expect(await query(second.url, "select * from kept")).to.deep.equal([]);
  });

  it("begins empty when asked to", async () => {
    const first = await start({ dataDir });
    await query(first.url, "create table gone (n int)");
    await first.stop();
    const second = await start({ dataDir, empty: true });
    const error = await query(second.url, "select * from gone").catch((caught: Error) => caught);
    expect(error).to.have.property("message", 'relation "gone" does not exist');
  });

  it("stops while clients are connected, and says that it has ended", async () => {
    const { url, stop, ended, folder } = await start({ ephemeral: true });
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    const pid = postmasterPid(folder);
    await stop();
    await ended;
    expect(isRunning(pid)).to.equal(false);
    expect(existsSync(dirname(folder))).to.equal(false);
  });

  it("names the port that is taken", async () => {
    const port = await freePort();
    const other = createServer().listen(port, "127.0.0.1");
    // A start that fails does not say where the files are: here they go with the folder.
    chmodSync(parent, 0o755);
    try {
      const error = await start({ dataDir, port }).catch((caught: Error) => caught);
      expect(error).to.have.property("name", "PostgresError");
      expect(error).to.have.property("message").that.includes(`port ${port} is taken`);
    } finally {
      other.close();
    }
  });

  it("refuses a folder whose password is lost, and says what to do", async () => {
    await (await start({ dataDir })).stop();
    rmSync(`${dataDir}.password`);
    const error = await start({ dataDir }).catch((caught: Error) => caught);
    expect(error)
      .to.have.property("message")
      .that.includes("postgres.password is missing")
      .and.includes("delete that folder");
  });

  describe("given its process was killed", () => {
    const script = (options: string) => `
      const { startPostgres } = await import(${JSON.stringify(join(root, "scripts/local/postgres/server.ts"))});
      const { folder } = await startPostgres(${options});
      console.log(JSON.stringify({ folder }));
      process.kill(process.pid, "SIGKILL");
    `;

    it("ends too, and an ephemeral one leaves nothing behind", async () => {
      const { stdout } = await runNode(["--input-type=module", "--eval", script("{ ephemeral: true }")])
        .ended;
      const { folder } = JSON.parse(stdout) as { folder: string };
      while (existsSync(dirname(folder))) await new Promise((resolve) => setTimeout(resolve, 20));
    });

    it("is stopped by the next start if it still runs", async () => {
      const first = await start({ dataDir });
      await query(first.url, "create table kept (n int)");
      await first.stop();
      const binaries = await findBinaries();
      const leftover = spawn(
        binaries.postgres,
        ["-D", first.folder, "-c", `port=${await freePort()}`, "-c", "unix_socket_directories="],
        { ...binaries.runAs, cwd: "/", detached: true, stdio: "ignore" },
      );
      while (!existsSync(join(first.folder, "postmaster.pid")))
        await new Promise((resolve) => setTimeout(resolve, 20));
      const second = await start({ dataDir });
      await untilGone(leftover.pid ?? 0);
      expect(await query(second.url, "select * from kept")).to.deep.equal([]);
    });
  });
});
