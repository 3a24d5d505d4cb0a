import { z } from "zod";
import { limits } from "../../domain/limits.ts";
import type { AddressRules } from "../deliveries/addresses.ts";
import { receiverUrlProblem } from "../deliveries/receiver-url.ts";
import { wrongType } from "../operation/fields.ts";
import { invalidRequest } from "../operation/parse.ts";

/** Where events are sent: the URL as it was parsed, so that what is shown is what is connected to. */
export const webhookUrl = z
  .string({ error: wrongType("a URL") })
  .transform((text, context): string => {
    const read = readUrl(text);
    if ("url" in read) return read.url;
    context.addIssue(read.problem);
    return z.NEVER;
  })
  .meta({ format: "uri", maxLength: limits.webhookUrl });

function readUrl(text: string): { url: string } | { problem: string } {
  if (text.length > limits.webhookUrl) return tooLong(text.length);
  // The parser leaves white space out without a word.
  const url = /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) ? URL.parse(text) : null;
  if (url === null) return { problem: "must be a URL that starts with https://" };
  if (url.username !== "" || url.password !== "") {
    return { problem: "must hold no user name and no password: know the service by the signature" };
  }
  if (text.includes("#")) return { problem: "must have no # part: it would not be sent" };
  return url.href.length > limits.webhookUrl ? tooLong(url.href.length) : { url: url.href };
}

const tooLong = (length: number) => ({
  problem: `must have at most ${limits.webhookUrl} characters, not ${length}`,
});

/**
 * Refuses what can be known at once of a receiver's place: a name is looked up when something is sent.
 * @throws ApiError INVALID_REQUEST
 */
export function requireReceiver(text: string | undefined, rules: AddressRules): void {
  if (text === undefined) return;
  const url = new URL(text);
  const problem = receiverUrlProblem(url, rules) ?? localhostProblem(url, rules);
  if (problem === undefined) return;
  const words = problem.slice(0, -1);
  const about = "The URL ";
  const message = words.startsWith(about) ? words.slice(about.length) : `is refused: ${words}`;
  throw invalidRequest([{ field: "url", message }]);
}

/** These names mean the machine that asks (RFC 6761, 6.3). */
function localhostProblem({ hostname }: URL, { opens }: AddressRules): string | undefined {
  if (!/(?:^|\.)localhost\.?$/.test(hostname) || opens("127.0.0.1") || opens("::1")) return undefined;
  return `No request goes to ${hostname}: it is this machine, which the operator has not opened (WEBHOOK_ALLOW_NETWORKS).`;
}
