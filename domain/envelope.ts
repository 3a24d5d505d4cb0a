import type { ErrorCode, ErrorDetail } from "./errors.ts";

/** The body of every answer. */
export type Envelope<Value = unknown> = {
  value: Value | null;
  meta?: { size?: number; page?: number };
  error?: { code: ErrorCode; message: string; details?: ErrorDetail[] };
};
