import type { z } from "zod";
import type { Attempt, Delivery } from "../../db/service/deliveries/delivery.ts";
import type { AttemptProblem } from "../deliveries/outcome.ts";
import { isoTime } from "../operation/time.ts";
import type { deliveryAnswer } from "./delivery-schema.ts";

type DeliveryAnswer = z.input<typeof deliveryAnswer>;

/** A delivery with its attempts. */
export function viewDelivery(delivery: Delivery): DeliveryAnswer {
  const { endedAt, nextAttemptAt } = delivery;
  return {
    id: delivery.id,
    eventId: delivery.eventId,
    sequence: delivery.sequence,
    kind: delivery.kind,
    state: delivery.state,
    queuedAt: isoTime(delivery.queuedAt),
    endedAt: endedAt && isoTime(endedAt),
    nextAttemptAt: nextAttemptAt && isoTime(nextAttemptAt),
    attempts: delivery.attempts.map(viewAttempt),
  };
}

function viewAttempt({ at, answer, problem, ...attempt }: Attempt): DeliveryAnswer["attempts"][number] {
  return {
    at: isoTime(at),
    ...attempt,
    // Written by the service alone, from this list.
    problem: problem as AttemptProblem | undefined,
    answer: answer === "" ? undefined : answer,
  };
}
