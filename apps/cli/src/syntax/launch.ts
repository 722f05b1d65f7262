import type { CommandContext } from '../context.ts'

/** Options that every command has. */
export interface CommonOptions {
  /** False: `--no-color`. */
  readonly color?: boolean
  readonly json?: boolean
}

/** Starts the work of a command with the options it was given; what it resolves with is the exit code of the program. */
export type Launch = (
  options: CommonOptions,
  work: (context: CommandContext) => Promise<number>,
) => Promise<void>
