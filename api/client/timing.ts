/** The longest time that a timer can be set to, in milliseconds: a longer one would be over at once. */
export const LONGEST_TIMER = 2_147_483_647;

/** Whether this is a number of milliseconds; Infinity is the longest there is. */
export function isDuration(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

/** Throws the reason of a signal that has been given. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason ?? new Error("The call was ended by its signal.");
}

export type TimeLimit = {
  signal: AbortSignal;
  /** Whether the time was over; the caller's own signal does not count. */
  isOver(): boolean;
  end(): void;
};

/**
 * A signal that comes after so many milliseconds, or with the caller's. Made by hand: Safari before 17.4 has no
 * `AbortSignal.any`, and before 16 no `AbortSignal.timeout`.
 */
export function limitTime(milliseconds: number, outer: AbortSignal | undefined): TimeLimit {
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
    end() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", follow);
    },
  };
}
