import type { AgentDefinition, MaybePromise, PreparedAgent, RunRequest } from '@troupe/schema'
import type { PrepareOptions } from './in-process-executor.ts'

/** A run that needs a prepared agent. */
export interface AcquireRequest extends PrepareOptions {
  readonly definition: AgentDefinition
  readonly request: RunRequest
  /** Which loading of the team the run belongs to. */
  readonly generation: string
  /** Names what a prepared agent is made from: generation, definition, variables, principal. Made when it is needed. */
  key(): string
  /** Prepares a fresh one. */
  create(options: PrepareOptions): MaybePromise<PreparedAgent>
}

/** How runs come to their prepared agents (A16). What a model sees of an agent as a tool does not depend on it. */
export interface Acquisition {
  /** The prepared agent of one run; its `release` gives it back. Throws what preparing threw, or why the run was stopped. */
  acquire(request: AcquireRequest): MaybePromise<PreparedAgent>
  /** Lets go of what is kept of a generation: its runs have ended and there will be no more. None: it is kept until `close`. */
  retire?(generation: string): Promise<void>
  /** Lets go of everything that is kept. What is in use is let go of by its run. */
  close(): Promise<void>
}

/** A fresh one for every run (A14). */
export const freshAcquisition: Acquisition = Object.freeze({
  acquire: ({ create, stop, warn }: AcquireRequest) => create({ stop, warn }),
  close: () => Promise.resolve(),
})
