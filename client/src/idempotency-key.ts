/**
 * A random Idempotency-Key in the form of a UUID. A page by plain http has no `crypto.randomUUID`, and Node.js 18 no
 * global `crypto`; `Math.random` is enough there, since the key must be unique but not secret.
 */
export function newIdempotencyKey(): string {
  const source = globalThis.crypto as Partial<typeof globalThis.crypto> | undefined;
  if (typeof source?.randomUUID === "function") return source.randomUUID();
  const bytes = new Uint8Array(16);
  if (typeof source?.getRandomValues === "function") source.getRandomValues(bytes);
  else for (let at = 0; at < 16; at += 1) bytes[at] = Math.random() * 256;
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
