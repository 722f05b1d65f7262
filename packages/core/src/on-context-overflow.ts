import type { Failure, MaybePromise, Message, ModelHandle, PreparedAgent } from '@troupe/schema'
import { roomOf } from './context/room.ts'
import { shortenContext } from './context/shorten-context.ts'
import { messagesForModel } from './loop-hooks.ts'
import type { Run } from './run.ts'

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

/** Shortens the conversation of a run of turns. Calls beside it and those of compositions have nothing that could be left out. */
export const onContextOverflow: OnContextOverflow = async (run, { prepared }) => {
  if (prepared !== run.prepared || prepared.compose !== undefined) return undefined
  if (!(await shortenContext(run, prepared, { reason: 'overflow', room: roomOf(run, prepared) })))
    return undefined
  const messages = await messagesForModel(run)
  return 'code' in messages ? undefined : messages
}
