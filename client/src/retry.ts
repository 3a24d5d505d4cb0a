import { ConnectionError, RegistryError } from "./errors.ts";

/** Milliseconds; a call that is asked to wait longer fails instead. */
export const LONGEST_RETRY_AFTER = 60_000;
export const LONGEST_BACK_OFF = 10_000;

/** Milliseconds before the next attempt, or undefined where a retry cannot help or must wait too long. */
export function retryDelay(error: RegistryError | ConnectionError, failures: number): number | undefined {
  if (!isRetryable(error)) return undefined;
  const { retryAfter = 0 } = error;
  return retryAfter > LONGEST_RETRY_AFTER ? undefined : retryAfter + backOff(failures);
}

/** Whether the same call may succeed later; a change is retried like a read, under its Idempotency-Key. */
export function isRetryable(error: unknown): error is RegistryError | ConnectionError {
  if (!(error instanceof ConnectionError || error instanceof RegistryError)) return false;
  const { status } = error;
  // 501: the service has no means for it, and will have none in a minute.
  if (status === 501) return false;
  if (status === undefined || status === 408 || status === 429 || status >= 500) return true;
  return error instanceof RegistryError && error.code === "IDEMPOTENCY_KEY_IN_USE";
}

/** Exponential back-off with full jitter, in milliseconds. */
export const backOff = (failures: number): number =>
  Math.random() * Math.min(LONGEST_BACK_OFF, 250 * 2 ** failures);

/** `Retry-After` in milliseconds; the header holds seconds or a date (RFC 9110, section 10.2.3). */
export function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get("retry-after") ?? "";
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

/** Resolves after the delay, and rejects with the signal's reason when that is aborted before. */
export async function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
