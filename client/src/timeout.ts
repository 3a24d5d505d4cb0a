/** The longest delay of `setTimeout` in milliseconds; a longer one would end at once. */
export const LONGEST_TIMER = 2_147_483_647;

/** Whether this is a number of milliseconds; Infinity is allowed. */
export function isDuration(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

/** Throws the reason of a signal that is aborted; Safari before 15.4 has no `throwIfAborted`. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason ?? new Error("The call was ended by its signal.");
}

export type Timeout = {
  /** Aborted by the timeout or by the caller's signal. */
  signal: AbortSignal;
  /** Whether the time was over; the caller's signal does not count. */
  isOver(): boolean;
  clear(): void;
};

/** A timeout joined with the caller's signal; Safari before 17.4 has no `AbortSignal.any`. */
export function startTimeout(milliseconds: number, outer: AbortSignal | undefined): Timeout {
  const controller = new AbortController();
  let isOver = false;
  const timer = setTimeout(
    () => {
      isOver = true;
      controller.abort(new Error(`Nothing came within ${milliseconds} ms.`));
    },
    Math.min(milliseconds, LONGEST_TIMER),
  );
  const follow = () => controller.abort(outer?.reason);
  if (outer?.aborted) follow();
  else outer?.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    isOver: () => isOver,
    clear() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", follow);
    },
  };
}
