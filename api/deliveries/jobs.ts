import { queueNames, type WebhookJob } from "./queue.ts";
import { type Shared, type Work, workOn } from "./work.ts";

/** Carries out jobs: one work at a time for each webhook, whatever the number of its jobs. */
export function createJobs(shared: Shared, onEnd: () => void, onError: (error: unknown) => void) {
  const { queue, standings } = shared;
  const works = new Map<string, Work>();
  const running = new Set<Promise<void>>();

  /** Takes all jobs that may begin now. */
  async function take(): Promise<void> {
    for (const name of queueNames) {
      for (;;) {
        const most = standings.free(name);
        const jobs = await queue.take(name, most);
        for (const job of jobs) begin(job);
        if (jobs.length === 0 || jobs.length < most) break;
      }
    }
  }

  function begin(job: WebhookJob): void {
    const carriedOut = carryOut(job)
      .catch(onError)
      .finally(() => {
        running.delete(carriedOut);
        onEnd();
      });
    running.add(carriedOut);
  }

  async function carryOut(job: WebhookJob): Promise<void> {
    const { webhookId } = job;
    const current = works.get(webhookId);
    if (current?.lookAgain()) return await queue.end(job);
    const work = workOn(webhookId, job.queue, shared);
    works.set(webhookId, work);
    try {
      await work.ended;
    } finally {
      if (works.get(webhookId) === work) works.delete(webhookId);
    }
    await queue.end(job);
  }

  return {
    take,
    /** Ends when all jobs have. */
    async ended(): Promise<void> {
      await Promise.all(running);
    },
  };
}
