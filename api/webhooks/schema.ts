import { z } from "zod";
import { eventKinds, requestKinds } from "../../domain/events/kinds.ts";
import { limits } from "../../domain/limits.ts";
import { webhookReasons, webhookStates } from "../../domain/webhooks/state.ts";
import { assetId, optionalText, text } from "../operation/fields.ts";
import { idAnswer, timeAnswer, uuidAnswer } from "../operation/schema-words.ts";
import { webhookKinds } from "./kinds.ts";
import { webhookUrl } from "./url.ts";

const url = webhookUrl.meta({ description: "Where events are sent: https, to a public address" });
const onlyOf = "Send only what is about this asset, of a link about either end";

export const webhookCreation = z
  .strictObject({
    url,
    description: optionalText(limits.note).meta({ description: "A word for yourself" }),
    kinds: webhookKinds
      .optional()
      .transform((kinds) => kinds ?? [...requestKinds])
      .meta({ description: "Kinds or groups of events: `request` where it is left out" }),
    assetId: assetId.optional().meta({ description: onlyOf }),
  })
  .meta({
    id: "WebhookCreation",
    examples: [{ url: "https://receiver.example/events", kinds: ["request", "asset.rolled_back"] }],
  });

export const webhookChange = z
  .strictObject({
    url: url.optional(),
    description: text(limits.note).optional(),
    kinds: webhookKinds.optional(),
    assetId: assetId
      .nullable()
      .optional()
      .meta({ description: `${onlyOf}; null: about any` }),
    state: z
      .enum(["active", "paused"], { error: "must be active or paused" })
      .optional()
      .meta({ description: "`paused` keeps events until it is `active` again" }),
  })
  .meta({
    id: "WebhookChange",
    description: "What is left out stays as it is.",
    examples: [{ state: "paused" }],
  });

const webhookFields = {
  id: uuidAnswer,
  url: z.string().meta({ format: "uri" }),
  description: z.string(),
  kinds: z.array(z.enum(eventKinds as [(typeof eventKinds)[number], ...typeof eventKinds])),
  assetId: idAnswer.optional(),
  state: z.enum(webhookStates),
  reason: z
    .enum(Object.keys(webhookReasons) as [keyof typeof webhookReasons])
    .optional()
    .meta({
      description: `Why it is paused or ended: ${Object.entries(webhookReasons)
        .map(([code, words]) => `\`${code}\`: ${words}`)
        .join("; ")}`,
    }),
  failingSince: timeAnswer.optional().meta({ description: "Since when no delivery has succeeded" }),
  previousSecretUntil: timeAnswer
    .optional()
    .meta({ description: "Until when the secret before the last rotation signs too" }),
  createdAt: timeAnswer,
  updatedAt: timeAnswer,
};

export const webhookAnswer = z.strictObject(webhookFields).meta({ id: "Webhook" });

export const webhookWithSecret = z
  .strictObject({
    ...webhookFields,
    secret: z.string().meta({
      pattern: "^whsec_[A-Za-z0-9+/]+=*$",
      description: "Verifies what is sent; shown this once",
    }),
  })
  .meta({ id: "WebhookWithSecret" });
