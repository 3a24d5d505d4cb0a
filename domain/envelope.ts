import type { ErrorCode, ErrorDetail } from "./errors.ts";

/** What was taken as it is, though it may not be what its sender meant. */
export type Warning = { field: string; message: string };

/** The body of every answer. */
export type Envelope<Value = unknown> = {
  value: Value | null;
  /** Of a list: `size` entries are here, on this `page`; `next` is the cursor of what follows, absent at the end. */
  meta?: { size?: number; page?: number; next?: string; warnings?: Warning[] };
  error?: { code: ErrorCode; message: string; details?: ErrorDetail[] };
};
