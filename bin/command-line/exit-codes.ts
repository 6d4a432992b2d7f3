/** The exit codes of every command. Scripts of users depend on them. */
export const exitCodes = {
  done: 0,
  /** The command failed, or some of its items did. */
  failed: 1,
  /** The command line, a setting or the input file is wrong. Nothing was changed. */
  usage: 2,
  /** The command stopped before the end. Running it again continues. */
  unfinished: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit codes as part of a help text. */
export const exitCodesHelp = `
Exit codes:
  0  everything was done
  1  the command failed, or some of its items did
  2  the command line, a setting or the input file is wrong; nothing was changed
  3  stopped before the end; run the same command again to continue`;

/** The codes of errors that have none of their own. */
const codes = { 0: 'done', 1: 'failed', 2: 'invalid_usage', 3: 'unfinished' };

/** Ends a command with an exit code and one sentence for its user. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  /** The error code for scripts, printed with `--json`. */
  readonly code: string;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed, code = codes[exitCode]) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}
