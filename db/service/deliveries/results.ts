import type { Database } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import type { Claim } from "./claims.ts";

/** An attempt as the log of deliveries keeps it. */
export type AttemptResult = {
  at: Date;
  /** Milliseconds. */
  duration: number;
  status: number | undefined;
  problem: string | undefined;
  message: string | undefined;
  answer: string;
};

/** In SQL: the attempt, where its delivery is still there. */
const logged = `logged as (
  insert into service.delivery_attempts (delivery, at, duration, status, problem, message, answer)
  select ordinal, $5, $6, $7, $8, $9, $10 from service.deliveries where ordinal = $1
  on conflict do nothing)`;

/** In SQL: takes a delivery out of its lane. A claim that lapsed and is another process's now stays as it is. */
const ended = (state: "delivered" | "expired") => `ended as (
    update service.deliveries set state = '${state}', ended_at = now()
    where ordinal = $1 and ended_at is null returning ordinal),
  lane as (
    update service.delivery_lanes set waiting = waiting - (select count(*) from ended),
      failures = 0, failing_since = null,
      due_at = case claim when $4 then now() else due_at end, claim = nullif(claim, $4)
    where webhook_id = $2 and subject = $3)`;

const deliver = statement(`with ${logged}, ${ended("delivered")} select`);
const expire = statement(`with ${ended("expired")} select`);

/** Ends what failures of the receiver had brought: what waited for it is due at once. */
const recover = statement(`
  with before as (select resume_at from service.webhook_progress where webhook_id = $1),
  progress as (
    update service.webhook_progress set failures = 0, failed_at = null, resume_at = null, wake = true
    where webhook_id = $1 and failures > 0),
  webhook as (
    update service.webhooks set failing_since = null where id = $1 and failing_since is not null)
  update service.delivery_lanes set due_at = now()
  where webhook_id = $1 and failures > 0 and claim is null and (select resume_at from before) is not null`);

const fail = statement(`
  with ${logged},
  lane as (
    update service.delivery_lanes set failures = failures + 1, failing_since = coalesce(failing_since, $5),
      due_at = now() + make_interval(secs => $11), claim = null
    where webhook_id = $2 and subject = $3 and claim = $4),
  counted as (
    select failures + case when failed_at is null or failed_at < $12 then 1 else 0 end as failures
    from service.webhook_progress where webhook_id = $2),
  progress as (
    update service.webhook_progress progress set failures = counted.failures, failed_at = now(),
      resume_at = case when $14::float8 is not null or counted.failures >= 2 then
          now() + make_interval(secs => greatest($14, case when counted.failures >= 2 then
            $13::float8 * least(300, 5 * 2 ^ least(counted.failures - 2, 10)) end))
        else resume_at end
    from counted where webhook_id = $2)
  update service.webhooks set failing_since = coalesce(failing_since, $5) where id = $2 and state = 'active'`);

const end = statement(`
  update service.webhooks set state = $2, reason = $3, updated_at = now() where id = $1 and state = 'active'`);

const values = (claim: Claim, attempt: AttemptResult) => [
  claim.ordinal,
  claim.webhookId,
  claim.subject,
  claim.claim,
  attempt.at,
  attempt.duration,
  attempt.status ?? null,
  attempt.problem ?? null,
  attempt.message ?? null,
  attempt.answer,
];

export async function recordDelivered(db: Database, claim: Claim, attempt: AttemptResult): Promise<void> {
  await ask(db, deliver, values(claim, attempt));
  if (claim.receiver.isFailing) await ask(db, recover, [claim.webhookId]);
}

/**
 * Records a failed attempt. From the second time in a row on, the webhook waits too.
 * @param wait seconds until the delivery is tried again
 * @param jitter factor of the webhook's own wait, so that not all come back at the same time
 * @param asked seconds for which the receiver asked for no other attempt; fewer than it would wait shorten nothing
 */
export async function recordFailed(
  db: Database,
  claim: Claim,
  attempt: AttemptResult,
  { wait, jitter, asked }: { wait: number; jitter: number; asked: number | undefined },
): Promise<void> {
  await ask(db, fail, [...values(claim, attempt), wait, claim.claimedAt, jitter, asked ?? null]);
}

/** Records that the event of a delivery has left the log, so that it cannot be sent any more. */
export async function recordExpired(db: Database, claim: Claim): Promise<void> {
  await ask(db, expire, [claim.ordinal, claim.webhookId, claim.subject, claim.claim]);
}

/** Sends nothing more until a tenant says so: what waits is kept. */
export async function pauseFailing(db: Database, webhookId: string): Promise<void> {
  await ask(db, end, [webhookId, "paused", "failing"]);
}

/** Ends a webhook whose receiver is gone for good. */
export async function endGone(db: Database, webhookId: string): Promise<void> {
  await ask(db, end, [webhookId, "ended", "gone"]);
}
