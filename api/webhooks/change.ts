import { randomBytes, randomUUID } from "node:crypto";
import type { z } from "zod";
import type { Transaction } from "../../db/core/pool.ts";
import { isFull } from "../../db/service/deliveries/again.ts";
import { activateWebhook, pauseWebhook, updateWebhook } from "../../db/service/webhooks/change.ts";
import { lockWebhook } from "../../db/service/webhooks/find.ts";
import { insertWebhook } from "../../db/service/webhooks/insert.ts";
import type { Webhook } from "../../db/service/webhooks/webhook.ts";
import { ApiError } from "../../domain/errors.ts";
import { limits } from "../../domain/limits.ts";
import type { webhookChange, webhookCreation } from "./schema.ts";
import { webhookNotFound } from "./view.ts";

/** A secret in the form of the Standard Webhooks specification. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** @throws ApiError TOO_MANY_WEBHOOKS */
export async function createWebhook(
  tx: Transaction,
  tenant: string,
  asked: z.output<typeof webhookCreation>,
): Promise<Webhook> {
  const { assetId } = asked;
  const webhook = await insertWebhook(tx, {
    ...asked,
    assetId,
    id: randomUUID(),
    tenant,
    secret: newSecret(),
  });
  if (webhook !== undefined) return webhook;
  throw new ApiError(
    "TOO_MANY_WEBHOOKS",
    `You have ${limits.webhooks} webhooks, as many as are allowed. Remove one first.`,
  );
}

/** A webhook of the tenant, locked. @throws ApiError WEBHOOK_NOT_FOUND */
export async function ownWebhook(tx: Transaction, tenant: string, id: string): Promise<Webhook> {
  const webhook = await lockWebhook(tx, tenant, id);
  if (webhook === undefined) throw webhookNotFound(id);
  return webhook;
}

/** One of the tenant's that events are sent to, locked. @throws ApiError WEBHOOK_NOT_FOUND, WEBHOOK_NOT_ACTIVE */
export async function activeWebhook(tx: Transaction, tenant: string, id: string): Promise<void> {
  requireActive(await ownWebhook(tx, tenant, id));
}

/** @throws ApiError TOO_MANY_DELIVERIES where so much waits for a webhook that no delivery is added on request */
export async function requireRoom(tx: Transaction, id: string): Promise<void> {
  if (!(await isFull(tx, id))) return;
  throw new ApiError(
    "TOO_MANY_DELIVERIES",
    `${limits.waitingDeliveries} deliveries wait for the webhook. Send it again when the receiver has taken some.`,
  );
}

/**
 * Changes what is named, and nothing else.
 * @returns the webhook, and whether anything is another now
 * @throws ApiError WEBHOOK_NOT_ACTIVE where one that has ended is paused
 */
export async function changeWebhook(
  tx: Transaction,
  before: Webhook,
  { state, ...asked }: z.output<typeof webhookChange>,
): Promise<{ webhook: Webhook; changed: boolean }> {
  const { id } = before;
  const settings = {
    url: asked.url ?? before.url,
    description: asked.description ?? before.description,
    kinds: asked.kinds ?? before.kinds,
    assetId: asked.assetId === undefined ? before.assetId : (asked.assetId ?? undefined),
  };
  let webhook = before;
  if (isOther(settings, before)) webhook = await updateWebhook(tx, id, settings);
  if (state !== undefined && state !== before.state) {
    if (state === "paused") requireActive(before);
    webhook = await (state === "paused" ? pauseWebhook : activateWebhook)(tx, id);
  }
  return { webhook, changed: webhook !== before };
}

type Settings = Pick<Webhook, "url" | "description" | "kinds" | "assetId">;

const isOther = (to: Settings, from: Settings): boolean =>
  to.url !== from.url ||
  to.description !== from.description ||
  to.assetId !== from.assetId ||
  to.kinds.join() !== from.kinds.join();

/** @throws ApiError WEBHOOK_NOT_ACTIVE */
function requireActive({ state }: Webhook): void {
  if (state === "active") return;
  throw new ApiError(
    "WEBHOOK_NOT_ACTIVE",
    `The webhook is ${state}. Set its state to active first; its \`reason\` says why it is not.`,
  );
}
