import { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { type EventAnswer, eventAnswer } from "../events/schema.ts";
import { timeAnswer, uuidAnswer } from "../operation/schema-words.ts";

const testEvent = z
  .strictObject({
    id: uuidAnswer,
    kind: z.literal("webhook.test"),
    time: timeAnswer,
    data: z.strictObject({ webhookId: uuidAnswer }),
  })
  .meta({
    id: "TestEvent",
    description: "Sent by `POST /webhooks/{webhookId}/test`; it is not in the log, so it has no `sequence`",
  });

/** The headers of a delivery, by the Standard Webhooks specification. */
const signedHeaders = z.object({
  "webhook-id": uuidAnswer.meta({
    description: "Id of the event, the same at each repetition: deal with it once",
  }),
  "webhook-timestamp": z.string().meta({
    pattern: "^[0-9]+$",
    description: "When this attempt was made, in seconds since 1970: refuse what is older than five minutes",
  }),
  "webhook-signature": z.string().meta({
    pattern: "^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$",
    description:
      "HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>` in Base64, by what stands in Base64 behind `whsec_` in the secret; two while a secret is rotated, of which one must be right",
  }),
});

const assetId = `0x${"604d".repeat(16)}` as const;
const transactionHash = `0x${"9a1c".repeat(16)}` as const;
const transactionId = "ddc3911c-090c-4831-a37d-48a6dab94ae5";

const confirmed: EventAnswer = {
  id: "3e4c2f08-5d0c-4c6b-9a55-1f0f4b8f5a11",
  sequence: 17,
  kind: "request.Confirmed",
  time: "2026-11-28T02:11:43.510+00:00",
  transactionId,
  assetId,
  author: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  transactionHash,
  block: { number: 12, hash: `0x${"8d1c".repeat(16)}`, time: "2026-11-28T02:10:45.000+00:00" },
  data: { id: transactionId, kind: "create", assetId, state: "Confirmed", transactionHash, blockNumber: 12 },
};

const tested: z.input<typeof testEvent> = {
  id: "6b1e5f7a-3f0b-4d53-8f0d-0a4f5f6f7c21",
  kind: "webhook.test",
  time: "2026-11-28T02:12:00.000+00:00",
  data: { webhookId: "5f0c1c1e-90a4-4a8e-8b0a-0d8f2f6a7b33" },
};

/** The requests that the service sends to the URL of a webhook, and the answers that it expects. */
export const sentToWebhooks: ZodOpenApiPathsObject = {
  event: {
    post: {
      operationId: "receiveEvent",
      tags: ["webhooks"],
      summary: "An event, delivered at least once, and in order for each asset",
      security: [],
      requestParams: { header: signedHeaders },
      requestBody: {
        required: true,
        description: "The event as `GET /events/` answers it, byte for byte the same at each repetition",
        content: {
          "application/json": {
            schema: z.union([eventAnswer, testEvent]),
            examples: {
              event: { summary: "A request is final", value: confirmed },
              test: { summary: "A test", value: tested },
            },
          },
        },
      },
      responses: {
        "2XX": { description: "The event was taken; the body is not looked at" },
        "410": { description: "The receiver is gone: the webhook ends, and nothing more is sent" },
        default: {
          description:
            "The event was not taken: it is sent again, later each time. Redirects are not followed; 429 and 503 may say when by `Retry-After`",
        },
      },
    },
  },
};
