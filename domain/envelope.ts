import type { ErrorCode, ErrorDetail } from "./errors.ts";

/** The body of every answer. */
export type Envelope<Value = unknown> = {
  value: Value | null;
  /** Of a list: `size` entries are here, on this `page`; `next` is the cursor of what follows, absent at the end. */
  meta?: { size?: number; page?: number; next?: string };
  error?: { code: ErrorCode; message: string; details?: ErrorDetail[] };
};
