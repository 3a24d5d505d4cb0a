import type { ErrorCode } from "./errors.ts";

/** One bad field of a request. */
export type ErrorDetail = { field: string; message: string };

/** The body of every answer. */
export type Envelope<Value = unknown> = {
  value: Value | null;
  meta?: { size?: number; page?: number };
  error?: { code: ErrorCode; message: string; details?: ErrorDetail[] };
};
