import type { Writable } from 'node:stream'
import type { Clock } from '@troupe/schema'
import type { Interrupts, ProgramStop } from './stop.ts'
import type { Terminal } from './terminal.ts'

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

/** Identity of this process in a run store. */
interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  /** Returns true if a process is running on this machine. */
  isAlive(pid: number): boolean
}

/** Environment of a command. Commands read nothing from the process and never end it. */
export interface CommandContext {
  /** Process environment, read once. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Version of Node, such as 24.1.0. */
  readonly nodeVersion: string
  readonly cwd: string
  readonly home?: string
  readonly terminal: Terminal
  /**
   * Reserves stdout for a protocol. All other writes of the process to stdout go to the notes from then on.
   * Call once.
   */
  captureStdout(): Writable
  readonly clock: Clock
  /** Identity of this process in a run store. */
  readonly identity: ProcessIdentity
  readonly stop: ProgramStop
  /** Handlers of Ctrl-C, which replace the stop of the program. */
  readonly interrupts: Interrupts
  /**
   * Called before functions or hooks of cards are imported. Starts a watchdog, because that code may block
   * the thread: Ctrl-C and the death of the parent process are still noticed.
   */
  beforeCardCode(): void
  /**
   * Registers a function to call if the process exits before the command is done. Returns a function that
   * removes it. `fn` must be synchronous and not throw.
   */
  atExit(fn: () => void): () => void
  /** Opens an address with the program that the system has for it. */
  openUrl(url: string): Promise<void>
  /**
   * Calls `fn` with true while the process may read its terminal, at first and whenever it continues after a
   * stop, and with false before Ctrl-Z stops it. Returns a function that removes it.
   */
  watchForeground(fn: (isForeground: boolean) => void): () => void
}
