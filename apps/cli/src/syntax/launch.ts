import type { CommandContext } from '../context.ts'

/** Format of log lines: text, or one JSON object per line. */
export type LogFormat = 'text' | 'json'

/** Options of every command. */
export interface CommonOptions {
  /** False with `--no-color`. */
  readonly color?: boolean
  readonly json?: boolean
  /** Format of progress and errors on stderr if they are not drawn in place. */
  readonly logFormat?: LogFormat
}

/** Runs a command with its options. The program exits with the code that `work` resolves with. */
export type Launch = (
  options: CommonOptions,
  work: (context: CommandContext) => Promise<number>,
) => Promise<void>
