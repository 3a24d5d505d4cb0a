/**
 * In SQL: `queued`, which adds the deliveries that a query names behind all others of their lanes, and `filled`, which
 * counts them there. A lane in which nothing waited is due at once.
 * @param deliveries answers webhook_id, event_id, sequence, kind and subject
 */
export const queue = (deliveries: string): string => `
  queued as (
    insert into service.deliveries (webhook_id, event_id, sequence, kind, subject)
    ${deliveries}
    returning webhook_id, subject, id),
  filled as (
    insert into service.delivery_lanes as lane (webhook_id, subject, waiting)
    select webhook_id, subject, count(*) from queued group by webhook_id, subject order by webhook_id, subject
    on conflict (webhook_id, subject) do update set waiting = lane.waiting + excluded.waiting,
      due_at = case lane.waiting when 0 then now() else lane.due_at end
    returning webhook_id)`;
