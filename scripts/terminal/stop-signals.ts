/** One press of Ctrl-C may arrive twice: from the terminal and from a parent that passes it on. */
const SAME_PRESS_MS = 1_000;

/**
 * Calls `stop` when this process is asked to end: by a signal, or because the parent that holds the other end
 * of the IPC channel was killed. Asked again, a second later or more, it calls `force`.
 */
export function onStop(
  stop: (signal: NodeJS.Signals) => void,
  force: (signal: NodeJS.Signals) => void = stop,
): void {
  let askedAt: number | undefined;
  const ask = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (askedAt === undefined) {
      askedAt = now;
      stop(signal);
    } else if (now - askedAt >= SAME_PRESS_MS) force(signal);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, ask);
  if (process.send === undefined) return;
  process.once("disconnect", () => ask("SIGTERM"));
  process.channel?.unref();
  if (!process.connected) ask("SIGTERM"); // the parent is gone already
}
