import type { Writable } from 'node:stream'
import type { Clock } from '@troupe/schema'
import type { Interrupts } from './terminal/interrupts.ts'
import type { ProcessIdentity } from './stored/process-identity.ts'
import type { ProgramStop } from './terminal/stop.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Everything a command gets from outside. Commands read nothing from the process and never end it. */
export interface CommandContext {
  /** The process environment, read once. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Such as 24.1.0. */
  readonly nodeVersion: string
  readonly cwd: string
  readonly home?: string
  readonly terminal: Terminal
  /** Takes stdout for a protocol: what anybody else in the process writes to it goes to the notes from then on. Once. */
  takeStdout(): Writable
  readonly clock: Clock
  /** This process, as a store of runs names it. */
  readonly identity: ProcessIdentity
  readonly stop: ProgramStop
  /** Lets a command hear Ctrl-C in place of the stop. */
  readonly interrupts: Interrupts
  /** Sets a flag of V8 for this process. */
  setV8Flag(flag: string): void
  /** Called before functions or hooks of cards are imported, which may keep the thread for themselves: from then on Ctrl-C and the death of the parent are noticed all the same. */
  beforeForeignCode(): void
  /** Registers what must happen when the process leaves before the command is done; the answer takes it back. `fn` is synchronous and does not throw. */
  atExit(fn: () => void): () => void
}
