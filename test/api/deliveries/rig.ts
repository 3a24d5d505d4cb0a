import { randomBytes, randomUUID } from "node:crypto";
import { pino } from "pino";
import { addressRules } from "../../../api/deliveries/addresses.ts";
import { type DeliverySettings, deliver } from "../../../api/deliveries/deliver.ts";
import { openPool, type Pool } from "../../../db/core/pool.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";

export const secretOf = () => `whsec_${randomBytes(32).toString("base64")}`;

type NewWebhook = {
  url: string;
  tenant?: string;
  kinds?: string[];
  secret?: string;
  assetId?: Buffer;
  after?: number;
};

/** A database with webhooks and a log of events, and processes that deliver. */
export type DeliveryRig = Awaited<ReturnType<typeof startDeliveryRig>>;

export async function startDeliveryRig() {
  const database: TestDatabase = await createDatabase();
  const pool: Pool = openPool(database.url, { application: "test", max: 4 });
  const running = new Set<{ stop(): Promise<void> }>();

  return {
    database,
    pool,
    async webhook({
      url,
      tenant = "acme",
      kinds = ["asset.registered"],
      secret = secretOf(),
      ...more
    }: NewWebhook) {
      const id = randomUUID();
      await pool.query(
        `insert into service.webhooks (id, tenant, url, description, kinds, secret, asset_id, after_sequence)
         values ($1, $2, $3, '', $4, $5, $6, $7)`,
        [id, tenant, url, kinds, secret, more.assetId ?? null, more.after ?? 0],
      );
      return id;
    },
    /** Writes events of the chain, one for each subject, in one transaction. */
    async tell(subjects: readonly Buffer[], kind = "asset.registered", tenant: string | null = null) {
      await pool.query(
        `insert into service.events (kind, asset_id, tenant, author, block_number)
         select $2, subject, $3, decode(repeat('11', 20), 'hex'), 7 from unnest($1::bytea[]) with ordinality given (subject, place)
         order by place`,
        [subjects, kind, tenant],
      );
    },
    /** Starts a process that delivers to receivers of this machine. */
    start(settings: Partial<DeliverySettings> = {}, url = database.url) {
      const own = openPool(url, { application: "deliveries", max: 6, prompt: true });
      const stop = new AbortController();
      const log = pino({ level: process.env["TEST_LOG"] ?? "silent" });
      const ended = deliver(own, log, stop.signal, {
        workers: 32,
        rules: addressRules(["127.0.0.0/8"]),
        ...settings,
      });
      const process_ = {
        async stop() {
          running.delete(process_);
          stop.abort();
          await ended;
          await own.end();
        },
      };
      running.add(process_);
      return process_;
    },
    async stop() {
      await Promise.all([...running].map((one) => one.stop()));
      await pool.end();
      await database.drop();
    },
  };
}
