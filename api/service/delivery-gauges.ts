import { type Gauge, Histogram, type Registry } from "prom-client";
import type { DeliveryFigures } from "../../db/service/deliveries/figures.ts";

type NewGauge = (name: string, help: string, labelNames?: string[]) => Gauge;

/** Metrics of the log of events and of its deliveries to webhooks. */
export function createDeliveryGauges(gauge: NewGauge, prefix: string, registry: Registry) {
  const gauges = {
    sequence: gauge("event_log_sequence", "Sequence number of the newest event"),
    unqueued: gauge("events_unqueued", "Events that no process has queued for webhooks yet"),
    waiting: gauge("webhook_deliveries_waiting", "Deliveries that wait for active webhooks"),
    oldest: gauge(
      "webhook_oldest_delivery_seconds",
      "Age of the oldest delivery that waits, for receivers that are well and for those that fail; else 0",
      ["receivers"],
    ),
    webhooks: gauge("webhooks", "Webhooks, by state", ["state"]),
    failures: gauge("webhook_failures", "Failures in a row of an active webhook, for the 50 worst", [
      "webhook",
    ]),
  };
  const attempts = new Histogram({
    name: `${prefix}webhook_attempt_seconds`,
    help: "Duration of attempts of this process to deliver, by outcome",
    labelNames: ["outcome"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers: [registry],
  });
  return {
    observe: (outcome: string, seconds: number) => attempts.observe({ outcome }, seconds),
    show({ waiting, oldest, unqueued, lastSequence, webhooks, failing }: DeliveryFigures): void {
      gauges.sequence.set(lastSequence);
      gauges.unqueued.set(unqueued);
      gauges.waiting.set(waiting);
      for (const [receivers, seconds] of Object.entries(oldest)) gauges.oldest.set({ receivers }, seconds);
      for (const [state, count] of Object.entries(webhooks)) gauges.webhooks.set({ state }, count);
      gauges.failures.reset();
      for (const { id, failures } of failing) gauges.failures.set({ webhook: id }, failures);
    },
  };
}
