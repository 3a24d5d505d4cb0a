import { isIP } from "node:net";
import type { AddressRules } from "./addresses.ts";

/** Ports below are those of other protocols' servers. */
const FIRST_FREE_PORT = 1_024;

/**
 * Why no request may go to the URL of a receiver, in a sentence; undefined where one may. A host that is a name is
 * looked up when the request is sent, and its addresses are checked then.
 */
export function receiverUrlProblem(url: URL, rules: AddressRules): string | undefined {
  const host = hostOf(url);
  const isAddress = isIP(host) !== 0;
  const isOpened = isAddress && rules.opens(host);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "The URL must start with https://.";
  if (url.protocol === "http:" && !(isAddress ? isOpened : rules.opensSome)) {
    return "The URL must start with https://: http is for networks that the operator opened (WEBHOOK_ALLOW_NETWORKS).";
  }
  if (url.username !== "" || url.password !== "") return "The URL must hold no user name and no password.";
  if (url.hash !== "") return "The URL must have no fragment.";
  if (isAddress && !rules.allows(host)) {
    return `No request goes to ${host}: it is not an address of the public internet, nor in a network that the operator opened (WEBHOOK_ALLOW_NETWORKS).`;
  }
  if (!isFreePort(url) && !(isAddress ? isOpened : rules.opensSome)) {
    return `No request goes to port ${url.port}: use 443, or one from ${FIRST_FREE_PORT} on.`;
  }
  return undefined;
}

/** Whether a URL's port is that of HTTP, or of no well-known other protocol. */
export function isFreePort({ port }: URL): boolean {
  return ["", "80", "443"].includes(port) || Number(port) >= FIRST_FREE_PORT;
}

/** The host of a URL; an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}
