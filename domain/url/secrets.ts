/** Shorter parts of a URL are words such as `v3` rather than keys. */
const LEAST = 8;

/** Some providers put the key into the name of the host. */
const keyInHost = /^(?=.*\d)[0-9a-z]{20,}$/;

/** The host of a URL, without possible keys. */
export function hostOf(url: string): string {
  const { hostname, port } = new URL(url);
  const labels = hostname
    .slice(0, 253)
    .split(".")
    .map((label) => (keyInHost.test(label) ? "[hidden]" : label));
  return labels.join(".") + (port === "" ? "" : `:${port}`);
}

/**
 * Redacts the secrets of a URL from a text: user, password, and possible keys in path and query. Servers often repeat
 * the URL when they refuse a request.
 */
export function hideSecretsOf(url: string): (text: string) => string {
  const { username, password, hostname, pathname, searchParams } = new URL(url);
  const hidden = hostname.split(".").filter((label) => keyInHost.test(label));
  const parts = [...pathname.split("/"), ...searchParams.values(), ...hidden].filter(
    (part) => part.length >= LEAST,
  );
  const secrets = [...parts, username, password]
    .flatMap((part) => [part, decoded(part), encodeURIComponent(decoded(part))])
    .filter((part) => part !== "");
  // The longest first: a part of it may be another one.
  const inOrder = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return (text) => inOrder.reduce((hidden, secret) => hidden.replaceAll(secret, "[hidden]"), text);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
