import type { Failure, MaybePromise, Message, ModelHandle, PreparedAgent } from '@troupe/schema'
import type { Run } from '../session/run.ts'

/** A conversation that was too long for a model. */
export interface ContextOverflow {
  readonly prepared: PreparedAgent
  readonly handle: ModelHandle
  /** What was sent. */
  readonly messages: readonly Message[]
  /** What the provider said, code `context_overflow`. */
  readonly failure: Failure
  /** From 1: how often this turn has been too long for this model. */
  readonly attempt: number
}

/**
 * The messages to try again with, made shorter by the strategy of the agent (`context.strategy`), or undefined: the turn fails with
 * `context_overflow`. It is asked at most {@link MAX_SHORTENINGS} times a turn, and what is not shorter is not sent, so that no strategy can loop.
 */
export type OnContextOverflow = (
  run: Run,
  overflow: ContextOverflow,
) => MaybePromise<readonly Message[] | undefined>

/** How often one turn may be shortened. */
export const MAX_SHORTENINGS = 1
