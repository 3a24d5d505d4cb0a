/** A stream that the program writes to. */
export type Output = { write(text: string): unknown; isTTY?: boolean | undefined };

/** The world of a run: everything that a command reads from or writes to, beside files. */
export type Io = {
  stdin: AsyncIterable<Uint8Array>;
  stdout: Output;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  fetch: typeof fetch;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** Asks a person; missing where nobody sits at the terminal. A hidden answer is not shown while it is typed. */
  ask?: ((question: string, options: { hidden: boolean }) => Promise<string>) | undefined;
};
