import { Webhook } from "standardwebhooks";
import type { Claim } from "../../db/service/deliveries/claims.ts";
import packageJson from "../../package.json" with { type: "json" };
import { viewEvent } from "../events/view.ts";
import { isoTime } from "../operation/time.ts";
import type { Post } from "./post.ts";

const userAgent = `asset-registry/${packageJson.version}`;

/**
 * The request that delivers an event, signed by the Standard Webhooks specification: by both secrets while they are
 * rotated. At each repetition it has the same id and the same body.
 * @returns undefined where the event has left the log
 */
export function messageOf(claim: Claim, now: Date): Post | undefined {
  const body = bodyOf(claim);
  if (body === undefined) return undefined;
  const { url, secrets } = claim.receiver;
  const signatures = secrets.map((secret) => new Webhook(secret).sign(claim.eventId, now, body));
  return {
    webhookId: claim.webhookId,
    url,
    body,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": userAgent,
      Accept: "*/*",
      "Accept-Encoding": "identity",
      "webhook-id": claim.eventId,
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": signatures.join(" "),
    },
  };
}

function bodyOf({ event, sequence, eventId, kind, queuedAt, webhookId }: Claim): string | undefined {
  if (event !== undefined) return JSON.stringify(viewEvent(event));
  if (sequence !== undefined) return undefined;
  return JSON.stringify({ id: eventId, kind, time: isoTime(queuedAt), data: { webhookId } });
}
