import type { AgentDefinition, MaybePromise } from '@troupe/schema'
import type { PreparedAgent, RunRequest } from '@troupe/schema/ports'
import type { PrepareOptions } from './in-process-executor.ts'

/** A run that needs a prepared agent. */
export interface AcquireRequest extends PrepareOptions {
  readonly definition: AgentDefinition
  readonly request: RunRequest
  /** Id of the team snapshot that the run belongs to. */
  readonly snapshotId: string
  /**
   * Returns a key of everything that determines the prepared agent: snapshot, definition, variables and
   * principal. Computed on demand.
   */
  key(): string
  /** Prepares a new agent. */
  create(options: PrepareOptions): MaybePromise<PreparedAgent>
}

/** Provides the prepared agents of runs. It does not affect how a model sees an agent as a tool. */
export interface SessionProvider {
  /**
   * Returns the prepared agent of one run, to be returned with its `release`. Throws the error of the
   * preparation, or the reason of the abort.
   */
  acquire(request: AcquireRequest): MaybePromise<PreparedAgent>
  /**
   * Releases everything held for a team snapshot, once its runs have ended. Without it, everything is held
   * until `close`.
   */
  retire?(snapshotId: string): Promise<void>
  /** Releases everything that is not in use. A prepared agent in use is released by its run. */
  close(): Promise<void>
}

/** Prepares a new agent for every run. */
export const freshSessionProvider: SessionProvider = Object.freeze({
  acquire: ({ create, stop, warn }: AcquireRequest) => create({ stop, warn }),
  close: () => Promise.resolve(),
})
