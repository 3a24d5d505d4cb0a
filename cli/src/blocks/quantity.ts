/** A number as JSON-RPC writes it, up to 2^52 - 1; undefined where it is none. */
export const quantity = (value: unknown): number | undefined =>
  typeof value === "string" && /^0x[0-9a-f]{1,13}$/i.test(value) ? Number(value) : undefined;
