import type { Call } from "../call.ts";
import type { CallOptions } from "../options.ts";
import { readPages } from "../pages.ts";
import { pathPart } from "../request.ts";
import type {
  Delivery,
  Webhook,
  WebhookChange,
  WebhookCreation,
  WebhookWithSecret,
} from "../types/webhook.ts";

/** Parameters of the list of deliveries. */
export type DeliveryQuery = { state?: Delivery["state"] | undefined; size?: number | undefined };

const pathOf = (id: string) => `/webhooks/${pathPart(id)}`;

/** Receivers of events, managed by an API key with the scope `webhooks`. */
export function createWebhooks(call: Call) {
  async function value<Value>(...args: Parameters<Call>): Promise<Value> {
    return (await call(...args)).value as Value;
  }

  return {
    list: (options?: CallOptions) => value<Webhook[]>("GET", "/webhooks/", undefined, options),
    get: async (id: string, options?: CallOptions) => value<Webhook>("GET", pathOf(id), undefined, options),
    /** Has events sent from now on; the answer alone shows the secret that verifies them. */
    create: (body: WebhookCreation, options?: CallOptions) =>
      value<WebhookWithSecret>("POST", "/webhooks/", body, options),
    update: async (id: string, body: WebhookChange, options?: CallOptions) =>
      value<Webhook>("PATCH", pathOf(id), body, options),
    remove: async (id: string, options?: CallOptions) =>
      value<null>("DELETE", pathOf(id), undefined, options),
    /** Sends an event of kind `webhook.test`. */
    test: async (id: string, options?: CallOptions) =>
      value<Delivery>("POST", `${pathOf(id)}/test`, undefined, options),
    /** Another secret, which the answer alone shows; the old one signs too until `previousSecretUntil`. */
    rotateSecret: async (id: string, options?: CallOptions) =>
      value<WebhookWithSecret>("POST", `${pathOf(id)}/secret`, undefined, options),
    /** Every delivery, newest first. */
    async *deliveries(
      id: string,
      query: DeliveryQuery = {},
      options?: CallOptions,
    ): AsyncGenerator<Delivery> {
      const pages = readPages(call, `${pathOf(id)}/deliveries/`, query, options);
      for await (const page of pages) yield* page.value as Delivery[];
    },
    /** Sends one event again, whether it was delivered or not. */
    redeliver: async (id: string, deliveryId: string, options?: CallOptions) =>
      value<Delivery>(
        "POST",
        `${pathOf(id)}/deliveries/${pathPart(deliveryId)}/redeliver`,
        undefined,
        options,
      ),
    /** Sends all events after a sequence again, in their order. */
    redeliverAfter: async (id: string, after: number, options?: CallOptions) =>
      value<{ after: number }>("POST", `${pathOf(id)}/redeliver`, { after }, options),
  };
}
