import type { z } from "zod";
import type { Webhook } from "../../db/service/webhooks/webhook.ts";
import { ApiError } from "../../domain/errors.ts";
import { isoTime } from "../operation/time.ts";
import type { webhookAnswer, webhookWithSecret } from "./schema.ts";

/** A webhook without its secrets. */
export function viewWebhook(webhook: Webhook): z.input<typeof webhookAnswer> {
  const { previousUntil, failingSince } = webhook;
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    kinds: webhook.kinds,
    assetId: webhook.assetId,
    state: webhook.state,
    reason: webhook.reason,
    failingSince: failingSince && isoTime(failingSince),
    previousSecretUntil: previousUntil && previousUntil > new Date() ? isoTime(previousUntil) : undefined,
    createdAt: isoTime(webhook.createdAt),
    updatedAt: isoTime(webhook.updatedAt),
  };
}

export function viewWithSecret(webhook: Webhook): z.input<typeof webhookWithSecret> {
  return { ...viewWebhook(webhook), secret: webhook.secret };
}

export function webhookNotFound(id: string): ApiError {
  return new ApiError("WEBHOOK_NOT_FOUND", `You have no webhook ${id}.`);
}
