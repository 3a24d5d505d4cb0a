/** Progress on the terminal: a line for each step that is done, and on a terminal what is being waited for. */
export type Progress = {
  /** Runs a step and prints how long it took, with what `done` makes of its result. */
  step<Result>(name: string, work: () => Promise<Result>, done?: (result: Result) => string): Promise<Result>;
  say(text: string): void;
  /** From now on steps that come to their end are no news. */
  abandonSteps(): void;
  end(): void;
};

type Terminal = Pick<NodeJS.WriteStream, "write" | "isTTY">;

export function createProgress(terminal: Terminal = process.stdout): Progress {
  const mark = terminal.isTTY ? "\u2713" : "ok";
  const dots = terminal.isTTY ? "\u2026" : "...";
  let abandoned = false;
  const pending = new Map<string, number>();
  const elapsed = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

  const say = (text: string) => {
    terminal.write(terminal.isTTY ? `\r\u001b[K${text}\n` : `${text}\n`);
    showPending();
  };
  const showPending = () => {
    if (!terminal.isTTY || abandoned || pending.size === 0) return;
    terminal.write(
      `\r\u001b[K  ${[...pending].map(([name, since]) => `${name} ${elapsed(since)}`).join(", ")} ${dots}`,
    );
  };
  const timer = terminal.isTTY ? setInterval(showPending, 200).unref() : undefined;

  return {
    say,
    async step(name, work, done = () => `${name} ready`) {
      const since = performance.now();
      pending.set(name, since);
      try {
        const result = await work();
        pending.delete(name);
        if (!abandoned) say(`${mark} ${done(result)} (${elapsed(since)})`);
        return result;
      } finally {
        pending.delete(name);
      }
    },
    abandonSteps() {
      abandoned = true;
    },
    end() {
      clearInterval(timer);
      if (terminal.isTTY) terminal.write("\r\u001b[K");
    },
  };
}
