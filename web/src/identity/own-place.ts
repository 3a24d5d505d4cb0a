const loopback = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Whether people may sign in at `origin`: the one that the service is reached at by all, to which the provider leads back,
 * or any of a service on the visitor's own machine.
 */
export function isOwnPlace(publicUrl: string, origin: string): boolean {
  const [own, here] = [URL.parse(publicUrl), URL.parse(origin)];
  if (own === null || here === null) return false;
  const areLocal = [own, here].every(
    ({ protocol, hostname }) => protocol === "http:" && loopback.includes(hostname),
  );
  return own.origin === here.origin || areLocal;
}
