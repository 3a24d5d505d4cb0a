/** Exit codes of the program. */
export const exitCodes = {
  /** Done, or the proof is valid. */
  done: 0,
  /** The answer is no: the proof is invalid, nothing was found, or the request ended without effect. */
  no: 1,
  /** It could not be checked or done: that says nothing against the file or the proof. */
  unable: 2,
  /** The command line, the environment or the configuration is wrong. */
  usage: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A problem that the user can understand and fix; `code` is stable for programs, the message is for people. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: string;
  readonly exitCode: ExitCode;

  constructor(code: string, message: string, exitCode: ExitCode = exitCodes.unable) {
    super(message);
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** A mistake in the command line, the environment or the configuration. */
export const misuse = (code: string, message: string): Problem => new Problem(code, message, exitCodes.usage);
