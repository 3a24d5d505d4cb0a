import type { ErrorCode, ErrorDetail } from "./errors.ts";

/** Warns of a value that was accepted but may be a mistake. */
export type Warning = { field: string; message: string };

/** The body of every answer. */
export type Envelope<Value = unknown> = {
  value: Value | null;
  /** Of a list: number of entries, page number, and `next`, the cursor of the next page, absent at the end. */
  meta?: { size?: number; page?: number; next?: string; warnings?: Warning[] };
  error?: { code: ErrorCode; message: string; details?: ErrorDetail[] };
};
