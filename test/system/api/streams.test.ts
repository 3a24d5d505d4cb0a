import { expect } from "chai";
import { createIndexPosition } from "../../../db/chain/index-position.ts";
import { inTransaction, openPool, type Pool } from "../../../db/core/pool.ts";
import { freePort } from "../../../scripts/local/ports.ts";
import { keys, nowhere, registry } from "../../support/api.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";
import { assetRegistered, tell } from "../../support/database/tell.ts";
import { type EventReader, readStream } from "../../support/event-stream.ts";
import { type Program, runNode } from "../../support/program.ts";

describe("streams of events of several processes", () => {
  let database: TestDatabase;
  let pool: Pool;
  const programs: Program[] = [];

  before(async () => {
    database = await createDatabase();
    pool = openPool(database.url, { application: "test" });
    const cursor = { chainId: registry.chainId, registry: registry.address, startBlock: 0, headNumber: 0 };
    await inTransaction(pool, (tx) => createIndexPosition(tx, cursor));
  });
  after(async () => {
    for (const { child } of programs) child.kill("SIGKILL");
    await Promise.all(programs.map(({ ended }) => ended));
    await pool.end();
    await database.drop();
  });

  async function start() {
    const port = await freePort();
    const program = runNode(["api/main.ts"], {
      env: {
        PATH: process.env["PATH"] ?? "",
        PORT: String(port),
        DATABASE_URL: database.url,
        RPC_URL: nowhere,
        REGISTRY_ADDRESS: registry.address,
        OIDC_ISSUER: nowhere,
        API_KEYS: `tenant-a:${keys["tenant-a"]}`,
      },
    });
    programs.push(program);
    await program.until('"listening"');
    return { ...program, port };
  }

  async function open(port: number, after: number): Promise<EventReader> {
    const headers = { "X-API-KEY": keys["tenant-a"], "Last-Event-ID": String(after) };
    return await readStream(`http://127.0.0.1:${port}/events/stream?kinds=asset`, headers);
  }

  it("are resumed at another process without a gap when one is killed, and end at once when one stops", async () => {
    const [first, second] = [await start(), await start()];
    const reader = await open(first.port, 0);
    let isWriting = true;
    let written = 0;
    const writing = (async () => {
      while (isWriting) {
        await tell(pool, assetRegistered, assetRegistered, assetRegistered);
        written += 3;
      }
    })();
    await reader.has(50);
    first.child.kill("SIGKILL");
    expect(await reader.over()).to.equal("cut off");
    const seen = reader.sequences();
    const resumed = await open(second.port, seen.at(-1) ?? 0);
    await resumed.has(50);
    isWriting = false;
    await writing;
    await resumed.has(written - seen.length);
    expect([...seen, ...resumed.sequences()]).to.deep.equal(
      Array.from({ length: written }, (_, index) => index + 1),
    );
    const begun = performance.now();
    second.child.kill("SIGTERM");
    expect((await second.ended).code).to.equal(0);
    // Far from the ten seconds for which it waits for other answers.
    expect(performance.now() - begun).to.be.lessThan(8_000);
    expect(await resumed.over()).to.equal("ended");
  });
});
