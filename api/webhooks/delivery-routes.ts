import { z } from "zod";
import { queueTest, redeliverOne, redeliverSince } from "../../db/service/deliveries/again.ts";
import { listDeliveries } from "../../db/service/deliveries/list.ts";
import { eventBounds } from "../../db/service/events/read.ts";
import { findWebhook } from "../../db/service/webhooks/find.ts";
import { ApiError } from "../../domain/errors.ts";
import { limits } from "../../domain/limits.ts";
import { refuseOutside } from "../events/page.ts";
import { readRoute, writeRoute } from "../operation/define-route.ts";
import { uuid } from "../operation/fields.ts";
import { type CursorScope, readCursor, writeCursor } from "../operation/page-cursor.ts";
import { entriesThatFit } from "../operation/paging.ts";
import { activeWebhook, requireRoom } from "./change.ts";
import { deliveriesQuery, deliveryAnswer, redelivery, redeliveryAnswer } from "./delivery-schema.ts";
import { viewDelivery } from "./delivery-view.ts";
import { webhookNotFound } from "./view.ts";

const own = { access: "key", scope: "webhooks", notFound: "WEBHOOK_NOT_FOUND" } as const;
const params = z.object({ webhookId: uuid });

export const deliveryRoutes = [
  readRoute({
    method: "get",
    path: "/webhooks/{webhookId}/deliveries/",
    summary: "List the deliveries to a webhook, newest first, with each attempt and what was answered",
    ...own,
    params,
    query: deliveriesQuery,
    status: 200,
    answer: z.array(deliveryAnswer),
    errors: ["WEBHOOK_NOT_FOUND"],
    async handle({ caller, params: { webhookId }, query }, { pool }) {
      const { state, size = limits.page.default, cursor } = query;
      const scope: CursorScope = ["deliveries", caller.tenant, webhookId, state];
      const before = cursor === undefined ? undefined : readCursor(scope, z.int().min(0), cursor);
      const webhook = await findWebhook(pool, caller.tenant, webhookId);
      if (webhook === undefined) throw webhookNotFound(webhookId);
      const found = await listDeliveries(pool, webhookId, { state, before, size: size + 1 });
      const views = found.slice(0, size).map(viewDelivery);
      const { count } = entriesThatFit(views);
      const last = count < found.length ? found[count - 1] : undefined;
      return {
        value: views.slice(0, count),
        meta: { size: count, ...(last === undefined ? {} : { next: writeCursor(scope, last.place) }) },
      };
    },
  }),

  writeRoute({
    method: "post",
    path: "/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
    summary: "Send one event again, whether it was delivered or not",
    ...own,
    params: z.object({ webhookId: uuid, deliveryId: uuid }),
    status: 202,
    answer: deliveryAnswer,
    errors: ["WEBHOOK_NOT_FOUND", "DELIVERY_NOT_FOUND", "WEBHOOK_NOT_ACTIVE", "TOO_MANY_DELIVERIES"],
    prepare: async ({ caller: { tenant }, params: { webhookId: id, deliveryId } }) => ({
      tenant,
      id,
      deliveryId,
    }),
    async commit(tx, { tenant, id, deliveryId }) {
      await activeWebhook(tx, tenant, id);
      await requireRoom(tx, id);
      const delivery = await redeliverOne(tx, id, deliveryId);
      if (delivery === undefined) {
        throw new ApiError(
          "DELIVERY_NOT_FOUND",
          `The webhook has no delivery ${deliveryId}, or its event has been removed from the log.`,
        );
      }
      return {
        answer: { value: viewDelivery(delivery) },
        event: { kind: "webhook.redelivered", about: [id, deliveryId] },
      };
    },
  }),

  writeRoute({
    method: "post",
    path: "/webhooks/{webhookId}/redeliver",
    summary: "Send all events after a sequence number again, in their order",
    ...own,
    params,
    body: redelivery,
    status: 202,
    answer: redeliveryAnswer,
    errors: ["WEBHOOK_NOT_FOUND", "WEBHOOK_NOT_ACTIVE", "EVENT_AHEAD", "EVENTS_GONE"],
    prepare: async ({ caller: { tenant }, params: { webhookId: id }, body: { after } }) => ({
      tenant,
      id,
      after,
    }),
    async commit(tx, { tenant, id, after }) {
      await activeWebhook(tx, tenant, id);
      refuseOutside(after, await eventBounds(tx));
      await redeliverSince(tx, id, after);
      return { answer: { value: { after } }, event: { kind: "webhook.redelivered", about: [id] } };
    },
  }),

  writeRoute({
    method: "post",
    path: "/webhooks/{webhookId}/test",
    summary: "Send a test event, of kind `webhook.test`, which is not in the log",
    ...own,
    params,
    status: 202,
    answer: deliveryAnswer,
    errors: ["WEBHOOK_NOT_FOUND", "WEBHOOK_NOT_ACTIVE", "TOO_MANY_DELIVERIES"],
    prepare: async ({ caller: { tenant }, params: { webhookId: id } }) => ({ tenant, id }),
    async commit(tx, { tenant, id }) {
      await activeWebhook(tx, tenant, id);
      await requireRoom(tx, id);
      const delivery = await queueTest(tx, id);
      return {
        answer: { value: viewDelivery(delivery) },
        event: { kind: "webhook.tested", about: [id, delivery.id] },
      };
    },
  }),
];
