import type { ErrorCode } from "./error-code.ts";

/** One bad field of a request. */
export type ErrorDetail = { field: string; message: string };

/** The body of every answer: `next` is the cursor of a list's next page and absent on the last one. */
export type Envelope = {
  value: unknown;
  meta?: { size?: number; page?: number; next?: string; warnings?: { field: string; message: string }[] };
  error?: { code: ErrorCode; message: string; details?: ErrorDetail[] };
};
