/** Shorter parts of a URL than this are words such as `v3`, and no keys. */
const LEAST = 8;

/** Some providers put the key into the name of the host. */
const keyInHost = /^(?=.*\d)[0-9a-z]{20,}$/;

/** The host of a URL, without what may be a key in it. */
export function hostOf(url: string): string {
  const { hostname, port } = new URL(url);
  const labels = hostname
    .slice(0, 253)
    .split(".")
    .map((label) => (keyInHost.test(label) ? "[hidden]" : label));
  return labels.join(".") + (port === "" ? "" : `:${port}`);
}

/**
 * Takes out of a text what a URL keeps from others: user, password, and what may be a key in its path and its
 * query. Servers that refuse a request like to repeat it.
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
