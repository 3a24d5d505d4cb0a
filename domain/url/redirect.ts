/** A redirect that is not followed, and why. */
export class RedirectError extends Error {
  override readonly name = "RedirectError";
}

const redirects = [301, 302, 307, 308];

/**
 * The target of a redirect. It is followed on the configured host only, by the same protocol or from http to https,
 * because the URL may hold a key.
 * @returns undefined where the answer is no redirect
 * @throws RedirectError naming the host that RPC_URL would have to name
 */
export function redirectTarget(from: URL, status: number, location: string | undefined): URL | undefined {
  if (!redirects.includes(status) || location === undefined) return undefined;
  const target = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol)) {
    throw new RedirectError(`The node answered by HTTP ${status} to a place that is no URL of HTTP`);
  }
  const upgrade = from.protocol === "http:" && target.protocol === "https:";
  const same = target.protocol === from.protocol && target.port === from.port;
  if (target.hostname !== from.hostname || !(same || upgrade)) {
    const where = `${target.protocol}//${target.host}`;
    throw new RedirectError(
      `The node redirects to ${where} (HTTP ${status}), another host: name that address in RPC_URL if it is right`,
    );
  }
  target.username = from.username;
  target.password = from.password;
  return target;
}
