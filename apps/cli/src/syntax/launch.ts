import type { CommandContext } from '../context.ts'

/** Lines for people, or one JSON object a line. */
export type LogFormat = 'text' | 'json'

/** Options that every command has. */
export interface CommonOptions {
  /** False: `--no-color`. */
  readonly color?: boolean
  readonly json?: boolean
  /** How progress and errors are written to stderr where they are not drawn. */
  readonly logFormat?: LogFormat
}

/** Starts the work of a command with the options it was given; what it resolves with is the exit code of the program. */
export type Launch = (
  options: CommonOptions,
  work: (context: CommandContext) => Promise<number>,
) => Promise<void>
