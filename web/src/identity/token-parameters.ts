import type { Identity } from "./session-of.ts";

/**
 * Parameters by which a provider makes an access token for the service and not for itself alone: `audience`, and where it
 * is a URL the `resource` of RFC 8707, which takes nothing else. A provider ignores those that it does not know.
 */
export function tokenParameters({ audience, clientId }: Pick<Identity, "audience" | "clientId">) {
  if (audience === clientId) return {};
  const resource = /^https?:\/\//.test(audience) ? { resource: audience } : {};
  return { extraQueryParams: { audience }, ...resource, extraTokenParams: resource };
}
