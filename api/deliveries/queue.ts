import { PgBoss } from "pg-boss";
import type { Pool, Transaction } from "../../db/core/pool.ts";

/**
 * The job queue: which webhook is worked on when, and in which process. A job names a webhook that has something to
 * send. Several processes share the queue; a job of one that died is given to another. The order of deliveries is not
 * the queue's: `service.delivery_lanes` keeps it.
 */
export type JobQueue = {
  start(): Promise<void>;
  /** Adds jobs for webhooks in a transaction; one that has a waiting job gets no other. */
  add(tx: Transaction | Pool, webhookIds: readonly string[]): Promise<void>;
  /** Has a webhook looked at later. */
  addAt(webhookId: string, at: Date): Promise<void>;
  /** Jobs that are due, at most so many. */
  take(queue: QueueName, most: number): Promise<WebhookJob[]>;
  end(job: WebhookJob): Promise<void>;
  stop(): Promise<void>;
};

export const queueNames = ["webhooks", "webhooks-later"] as const;
export type QueueName = (typeof queueNames)[number];

export type WebhookJob = { queue: QueueName; id: string; retryCount: number; webhookId: string };

/** Name of its schema, which a migration makes. */
export const SCHEMA = "jobs";

const runIn = (db: Transaction | Pool) => ({
  executeSql: (text: string, values?: unknown[]) => db.query(text, values),
});

/** Seconds between two looks for jobs of processes that died. */
const SUPERVISE = 15;

export function openJobQueue(pool: Pool, onError: (error: Error) => void): JobQueue {
  const boss = new PgBoss({
    db: runIn(pool),
    schema: SCHEMA,
    // The schema is our migration's, which a role without rights to change it needs.
    migrate: false,
    createSchema: false,
    schedule: false,
    registerInstance: false,
    reindex: false,
    monitorVacuum: false,
    superviseIntervalSeconds: SUPERVISE,
    monitorIntervalSeconds: SUPERVISE,
    flowIntervalSeconds: 3_600,
    openTelemetry: { enabled: false },
  });
  boss.on("error", onError);
  return {
    async start() {
      await boss.start();
    },
    async add(tx, webhookIds) {
      if (webhookIds.length === 0) return;
      const jobs = webhookIds.map((webhookId) => ({ singletonKey: webhookId, data: { webhookId } }));
      await boss.insert("webhooks", jobs, { db: runIn(tx) });
    },
    async addAt(webhookId, at) {
      await boss.upsert("webhooks-later", { webhookId }, { singletonKey: webhookId, startAfter: at });
    },
    async take(queue, most) {
      if (most < 1) return [];
      const jobs = await boss.fetch<{ webhookId: string }>(queue, { batchSize: most });
      return jobs.map(({ id, retryCount, data }) => ({ queue, id, retryCount, webhookId: data.webhookId }));
    },
    async end({ queue, id, retryCount }) {
      await boss.deleteJob(queue, { id, retryCount });
    },
    async stop() {
      await boss.stop({ close: false, graceful: false });
    },
  };
}
