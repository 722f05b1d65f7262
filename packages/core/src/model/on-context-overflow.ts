import type { Failure, MaybePromise, Message, ModelHandle, PreparedAgent } from '@troupe/schema'
import type { Run } from '../session/run.ts'

/** A conversation that is too long for a model. */
export interface ContextOverflow {
  readonly prepared: PreparedAgent
  readonly handle: ModelHandle
  /** Messages that were sent. */
  readonly messages: readonly Message[]
  /** Failure with code `context_overflow`. */
  readonly failure: Failure
  /** 1-based number of overflows of this model in this turn. */
  readonly attempt: number
}

/**
 * Returns shorter messages for another try, by the strategy of the agent (`context.strategy`), or `undefined`
 * to fail with `context_overflow`. Called at most {@link MAX_SHORTENINGS} times per turn, and the messages
 * are only sent if they are shorter, so that no strategy can loop.
 */
export type OnContextOverflow = (
  run: Run,
  overflow: ContextOverflow,
) => MaybePromise<readonly Message[] | undefined>

/** Maximum number of times that one turn is shortened. */
export const MAX_SHORTENINGS = 1
