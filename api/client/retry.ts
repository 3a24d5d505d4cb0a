import { ConnectionError, RegistryError } from "./errors.ts";

/** Milliseconds: an answer that asks a call for a longer pause is the caller's to handle. */
export const LONGEST_PAUSE = 60_000;
const LONGEST_BACK_OFF = 10_000;

/**
 * How long to wait before the next try, in milliseconds; undefined where trying again cannot help. A change is
 * tried again like a read: its Idempotency-Key keeps the service from making it twice.
 * @param failures how many tries have failed before this one
 */
export function pauseAfter(error: RegistryError | ConnectionError, failures: number): number | undefined {
  if (!mayPass(error)) return undefined;
  const { retryAfter = 0 } = error;
  return retryAfter > LONGEST_PAUSE ? undefined : retryAfter + backOff(failures);
}

/** Whether the trouble may be over when the same is tried again. */
export function mayPass(error: unknown): error is RegistryError | ConnectionError {
  if (!(error instanceof ConnectionError || error instanceof RegistryError)) return false;
  const { status } = error;
  // No answer at all, or one that was cut short.
  if (status === undefined) return true;
  if (status === 408 || status === 429 || status >= 500) return true;
  return error instanceof RegistryError && error.code === "IDEMPOTENCY_KEY_IN_USE";
}

/** Full jitter: anything up to a bound that doubles, so that many clients do not come back together. */
export const backOff = (failures: number): number =>
  Math.random() * Math.min(LONGEST_BACK_OFF, 250 * 2 ** failures);

/** `Retry-After` in milliseconds: it is a number of seconds, or a time. */
export function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get("retry-after") ?? "";
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

/** Waits; ends early by throwing the reason of the signal. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
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
