import { z } from "zod";
import { deliveryStates } from "../../db/service/deliveries/delivery.ts";
import { type AttemptProblem, attemptProblems } from "../deliveries/outcome.ts";
import { POSITION } from "../events/filter.ts";
import { pagingQuery } from "../operation/paging.ts";
import { countAnswer, timeAnswer, uuidAnswer } from "../operation/schema-words.ts";

export const deliveriesQuery = z.strictObject({
  state: z
    .enum(deliveryStates, {
      error: ({ input }) =>
        Array.isArray(input) ? "must be given once" : `must be one of ${deliveryStates.join(", ")}`,
    })
    .optional(),
  size: pagingQuery.size,
  cursor: pagingQuery.cursor.meta({ description: "`meta.next` of the page before" }),
});

const wrongPosition = () => `must be ${POSITION}`;

export const redelivery = z
  .strictObject({
    after: z
      .int({ error: ({ input }) => (input === undefined ? "is missing" : wrongPosition()) })
      .min(0, { error: wrongPosition })
      .meta({ description: "Sequence number of the last event that the receiver has" }),
  })
  .meta({ id: "Redelivery", examples: [{ after: 17 }] });

/** The position after which events are sent again. */
export const redeliveryAnswer = z.strictObject({ after: countAnswer }).meta({ id: "RedeliveryStart" });

const attemptAnswer = z
  .strictObject({
    at: timeAnswer,
    durationMs: countAnswer.meta({ description: "Milliseconds until its end" }),
    status: z.int().optional().meta({ description: "HTTP status, where there was an answer" }),
    problem: z
      .enum(Object.keys(attemptProblems) as [AttemptProblem, ...AttemptProblem[]])
      .optional()
      .meta({
        description: `Why it failed: ${Object.entries(attemptProblems)
          .map(([code, words]) => `\`${code}\`: ${words}`)
          .join("; ")}`,
      }),
    message: z.string().optional().meta({ description: "A sentence about the problem, for people" }),
    answer: z
      .string()
      .optional()
      .meta({ description: "The first 1,024 bytes of the answer's body, where it has one" }),
  })
  .meta({ id: "DeliveryAttempt" });

export const deliveryAnswer = z
  .strictObject({
    id: uuidAnswer,
    eventId: uuidAnswer.meta({ description: "The header `webhook-id`" }),
    sequence: countAnswer.optional().meta({ description: "Of the event; a test has none" }),
    kind: z.string().meta({ description: "Of the event, or `webhook.test`" }),
    state: z.enum(deliveryStates).meta({
      description: "`expired`: the event left the log before it could be delivered",
    }),
    queuedAt: timeAnswer,
    endedAt: timeAnswer.optional(),
    nextAttemptAt: timeAnswer.optional(),
    attempts: z.array(attemptAnswer).meta({ description: "Oldest first, the last 50" }),
  })
  .meta({ id: "Delivery", description: "An event on its way to a webhook, and what came of it" });
