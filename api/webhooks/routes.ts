import { z } from "zod";
import { numberEvents } from "../../db/service/events/read.ts";
import { rotateSecret } from "../../db/service/webhooks/change.ts";
import { findWebhook, listWebhooks } from "../../db/service/webhooks/find.ts";
import { removeWebhook } from "../../db/service/webhooks/remove.ts";
import { limits } from "../../domain/limits.ts";
import { readRoute, writeRoute } from "../operation/define-route.ts";
import { uuid } from "../operation/fields.ts";
import { changeWebhook, createWebhook, newSecret, ownWebhook } from "./change.ts";
import { webhookAnswer, webhookChange, webhookCreation, webhookWithSecret } from "./schema.ts";
import { requireReceiver } from "./url.ts";
import { viewWebhook, viewWithSecret, webhookNotFound } from "./view.ts";

const all = { access: "key", scope: "webhooks" } as const;
const one = { ...all, params: z.object({ webhookId: uuid }), notFound: "WEBHOOK_NOT_FOUND" } as const;

export const webhookRoutes = [
  readRoute({
    method: "get",
    path: "/webhooks/",
    summary: "List the tenant's webhooks",
    ...all,
    status: 200,
    answer: z.array(webhookAnswer),
    errors: [],
    async handle({ caller }, { pool }) {
      const webhooks = await listWebhooks(pool, caller.tenant);
      return { value: webhooks.map(viewWebhook), meta: { size: webhooks.length } };
    },
  }),

  writeRoute({
    method: "post",
    path: "/webhooks/",
    summary: "Have events sent to a URL from now on; shows the secret that verifies them, this once",
    ...all,
    body: webhookCreation,
    status: 201,
    answer: webhookWithSecret,
    errors: ["TOO_MANY_WEBHOOKS"],
    async prepare({ caller: { tenant }, body }, { pool, webhookAddresses }) {
      requireReceiver(body.url, webhookAddresses);
      // What was committed before gets its number before the webhook begins behind the last one.
      await numberEvents(pool);
      return { tenant, body };
    },
    async commit(tx, { tenant, body }) {
      const webhook = await createWebhook(tx, tenant, body);
      return {
        answer: { value: viewWithSecret(webhook) },
        event: { kind: "webhook.created", about: [webhook.id] },
      };
    },
  }),

  readRoute({
    method: "get",
    path: "/webhooks/{webhookId}",
    summary: "Read a webhook, and whether its deliveries succeed",
    ...one,
    status: 200,
    answer: webhookAnswer,
    errors: ["WEBHOOK_NOT_FOUND"],
    async handle({ caller, params: { webhookId } }, { pool }) {
      const webhook = await findWebhook(pool, caller.tenant, webhookId);
      if (webhook === undefined) throw webhookNotFound(webhookId);
      return { value: viewWebhook(webhook) };
    },
  }),

  writeRoute({
    method: "patch",
    path: "/webhooks/{webhookId}",
    summary: "Change what is sent to a webhook, and where; pause it, or go on",
    ...one,
    body: webhookChange,
    status: 200,
    answer: webhookAnswer,
    errors: ["WEBHOOK_NOT_FOUND", "WEBHOOK_NOT_ACTIVE"],
    async prepare({ caller: { tenant }, params: { webhookId: id }, body }, { pool, webhookAddresses }) {
      requireReceiver(body.url, webhookAddresses);
      if (body.state === "active") await numberEvents(pool);
      return { tenant, id, body };
    },
    async commit(tx, { tenant, id, body }) {
      const { webhook, changed } = await changeWebhook(tx, await ownWebhook(tx, tenant, id), body);
      return {
        answer: { value: viewWebhook(webhook) },
        event: changed ? { kind: "webhook.changed", about: [id] } : undefined,
      };
    },
  }),

  writeRoute({
    method: "delete",
    path: "/webhooks/{webhookId}",
    summary: "Remove a webhook with its deliveries: nothing more is sent",
    ...one,
    status: 200,
    answer: z.null(),
    errors: ["WEBHOOK_NOT_FOUND"],
    prepare: async ({ caller: { tenant }, params: { webhookId: id } }) => ({ tenant, id }),
    async commit(tx, { tenant, id }) {
      if (!(await removeWebhook(tx, tenant, id))) throw webhookNotFound(id);
      return { answer: { value: null }, event: { kind: "webhook.removed", about: [id] } };
    },
  }),

  writeRoute({
    method: "post",
    path: "/webhooks/{webhookId}/secret",
    summary: `Give a webhook another secret, shown this once; the old one signs too for ${limits.secretOverlapHours} hours`,
    ...one,
    status: 200,
    answer: webhookWithSecret,
    errors: ["WEBHOOK_NOT_FOUND"],
    prepare: async ({ caller: { tenant }, params: { webhookId: id } }) => ({ tenant, id }),
    async commit(tx, { tenant, id }) {
      await ownWebhook(tx, tenant, id);
      const webhook = await rotateSecret(tx, id, newSecret(), limits.secretOverlapHours);
      return {
        answer: { value: viewWithSecret(webhook) },
        event: { kind: "webhook.secret_rotated", about: [id] },
      };
    },
  }),
];
