import type { ChildProcess } from "node:child_process";

import { onStop } from "../terminal/stop-signals.ts";

/** Child processes that are stopped when this process is. */
export type Work = { add(child: ChildProcess): void; stoppedBy(): NodeJS.Signals | undefined };

export function stoppableWork(): Work {
  const running = new Set<ChildProcess>();
  let stoppedBy: NodeJS.Signals | undefined;
  onStop((signal) => {
    stoppedBy = signal;
    for (const child of running) {
      child.kill(signal);
      setTimeout(() => child.kill("SIGKILL"), 3_000).unref();
    }
  });
  return {
    stoppedBy: () => stoppedBy,
    add(child) {
      running.add(child);
      child.once("close", () => running.delete(child));
    },
  };
}
