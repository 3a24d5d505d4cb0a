import { WRONG_SETTING_EXIT_CODE } from "../../config.ts";
import { type ProcessOptions, type Running, runProcess } from "./process.ts";

export type SupervisorOptions = ProcessOptions & {
  name: string;
  /** Says what happened, to the person at the terminal. */
  say: (line: string) => void;
  /** Called when it ends again and again without having become ready. */
  onHopeless: (reason: string) => void;
  firstDelayMs?: number;
};

export type Supervised = {
  /** From now on it is restarted however often it ends. */
  markReady(): void;
  stop(): Promise<void>;
};

const LONGEST_DELAY_MS = 30_000;
const STEADY_MS = 60_000;
const ATTEMPTS = 3;

/**
 * Keeps a script running: one that ends is started again after 1, 2, 4 … 30 seconds. One that says that it cannot
 * work with its settings is not: no restart helps.
 */
export function supervise(options: SupervisorOptions): Supervised {
  const { name, log, say, onHopeless, firstDelayMs = 1_000 } = options;
  let stopping = false;
  let ready = false;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Running;

  const start = () => {
    const startedAt = performance.now();
    running = runProcess(options);
    void running.ended.then((ending) => {
      if (stopping) return;
      if (ending === `exit code ${WRONG_SETTING_EXIT_CODE}`) {
        return onHopeless(`The ${name} cannot work with these settings: ${log.lastLines(1)}`);
      }
      failures = performance.now() - startedAt > STEADY_MS ? 1 : failures + 1;
      if (!ready && failures >= ATTEMPTS) {
        return onHopeless(
          `The ${name} does not start (${ending}). The end of ${log.file}:\n${log.lastLines(8)}`,
        );
      }
      const delay = Math.min(firstDelayMs * 2 ** (failures - 1), LONGEST_DELAY_MS);
      say(
        `The ${name} ended unexpectedly (${ending}), starting it again in ${delay / 1000} s. See ${log.file}`,
      );
      timer = setTimeout(start, delay);
    });
  };
  start();
  return {
    markReady() {
      ready = true;
    },
    async stop() {
      stopping = true;
      clearTimeout(timer);
      await running.stop();
    },
  };
}
