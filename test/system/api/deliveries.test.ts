import { randomBytes, randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { createIndexPosition } from "../../../db/chain/index-position.ts";
import { migrate } from "../../../db/core/migrate.ts";
import { inTransaction, openPool, type Pool } from "../../../db/core/pool.ts";
import { freePort } from "../../../scripts/local/ports.ts";
import { type Postgres, startPostgres } from "../../../scripts/local/postgres/server.ts";
import { accept, expectOrder, type Receiver, startReceiver, status } from "../../api/deliveries/receiver.ts";
import { createRandom } from "../../simulation/random.ts";
import { keys, nowhere, registry } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { tell } from "../../support/database/tell.ts";
import { eventually } from "../../support/eventually.ts";
import { type Program, runNode } from "../../support/program.ts";

describe("deliveries of API processes that are killed, on a database that restarts, to receivers that fail", () => {
  const random = createRandom(20_261_129);
  const EVENTS = 600;
  const subjects = Array.from({ length: 12 }, () => `0x${random.bytes(32).toString("hex")}` as const);

  let folder: string;
  let postgres: Postgres;
  let pool: Pool;
  const receivers: Receiver[] = [];
  const running = new Set<Program>();

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "asset-registry-deliveries-"));
    chmodSync(folder, 0o755); // PostgreSQL does not run as root
    postgres = await startPostgres({ dataDir: join(folder, "postgres") });
    await migrate(postgres.url);
    pool = openPool(postgres.url, { application: "test", onError: () => undefined });
    const cursor = { chainId: registry.chainId, registry: registry.address, startBlock: 0, headNumber: 0 };
    await inTransaction(pool, (tx) => createIndexPosition(tx, cursor));
  });
  after(async () => {
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all([...running].map(({ ended }) => ended));
    await pool?.end();
    await Promise.all(receivers.map((one) => one.close()));
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(): Promise<Program> {
    const program = runNode(["api/main.ts"], {
      env: {
        PATH: process.env["PATH"] ?? "",
        PORT: String(await freePort()),
        DATABASE_URL: postgres.url,
        RPC_URL: nowhere,
        REGISTRY_ADDRESS: registry.address,
        OIDC_ISSUER: nowhere,
        API_KEYS: `tenant-a:${keys["tenant-a"]}`,
        WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
      },
    });
    running.add(program);
    void program.ended.then(() => running.delete(program));
    await program.until('"listening"');
    return program;
  }

  async function webhook(answer: Receiver["answer"]): Promise<{ id: string; receiver: Receiver }> {
    const receiver = await startReceiver();
    receiver.answer = answer;
    receivers.push(receiver);
    const id = randomUUID();
    await pool.query(
      `insert into service.webhooks (id, tenant, url, description, kinds, secret, after_sequence)
       values ($1, 'tenant-a', $2, '', '{asset.registered}', $3, 0)`,
      [id, receiver.url, `whsec_${randomBytes(32).toString("base64")}`],
    );
    return { id, receiver };
  }

  /** Fails at random: by a status, by hanging up before or after it took the event, or by a late answer. */
  const unreliable: Receiver["answer"] = (got, response, request) => {
    const chance = random.next();
    if (chance < 0.02) status(500)(got, response, request);
    else if (chance < 0.04) request.socket.destroy();
    else if (chance < 0.05) status(307, { Location: "/" })(got, response, request);
    else if (chance < 0.3) setTimeout(() => accept(got, response, request), random.whole(1, 400));
    else accept(got, response, request);
  };

  const idsOf = (receiver: Receiver) => new Set(receiver.got.map(({ headers }) => headers["webhook-id"]));

  it("bring every event to every receiver, in order, and again with the same id and body alone", async function () {
    this.timeout(400_000);
    const healthy = await webhook(accept);
    const others = [await webhook(unreliable), await webhook(unreliable)];
    await webhook(() => {});
    let programs = [await start(), await start()];

    for (let told = 0; told < EVENTS; told += 1) {
      const event = {
        kind: "asset.registered",
        assetId: random.pick(subjects),
        author: owner.address,
        block: 1,
      } as const;
      await eventually(
        "the database takes an event",
        () =>
          tell(pool, event).then(
            () => true,
            () => false,
          ),
        (done) => done,
      );
      if (told % 100 === 50) {
        const [victim, other] = programs as [Program, Program];
        victim.child.kill("SIGKILL");
        await victim.ended;
        programs = [other, await start()];
      }
      if (told === 120) {
        const [victim, other] = programs as [Program, Program];
        victim.child.kill("SIGTERM");
        expect(await victim.ended).to.include({ code: 0 });
        programs = [other, await start()];
      }
      if (told === 330) {
        const { port } = postgres;
        await postgres.stop();
        await sleep(500);
        postgres = await startPostgres({ dataDir: join(folder, "postgres"), port });
      }
    }

    for (const { id, receiver } of [healthy, ...others]) {
      await eventually(
        "all events arrive",
        async () => idsOf(receiver).size,
        (count) => count === EVENTS,
        250,
      );
      expectOrder(receiver);
      const bodies = Map.groupBy(receiver.got, ({ headers }) => headers["webhook-id"]);
      for (const [event, requests] of bodies) {
        expect(new Set(requests.map(({ body }) => body)).size, event as string).to.equal(1);
      }
      await eventually(
        "all are recorded",
        async () => {
          const { rows } = await pool.query(
            "select count(*) as count from service.deliveries where webhook_id = $1 and state = 'delivered'",
            [id],
          );
          return rows[0]?.count as number;
        },
        (count) => count === EVENTS,
      );
    }
  });
});
