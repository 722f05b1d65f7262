import type { Failure, Message, PreparedAgent } from '@troupe/schema'
import { estimateContext } from '../context/prompt-size.ts'
import { availableTokens, recallView, shortenContext } from '../context/shorten-context.ts'
import type { AskSummariser } from '../context/summarise.ts'
import { callsOf, textOf, type RecordedAnswer, type RequestedToolCall } from '../log/recorded-steps.ts'
import { askModels } from './ask-models.ts'
import { rememberProvider, type CallOptions } from './call-model.ts'
import { callLoopHook, messagesForModel } from './loop-hooks.ts'
import type { PreparedRun } from './prepared-run.ts'
import type { OnContextOverflow } from './next-attempt.ts'

/** The answer of a model in one turn. */
export interface ModelAnswer {
  readonly message: Message
  readonly text: string
  readonly calls: readonly RequestedToolCall[]
  readonly finishReason: string
  /** Failure of the budget that lowered the output limit. `undefined` if it was not lowered. */
  readonly lowered: Failure | undefined
}

/**
 * Asks the model for one turn, with its hooks. Shortens the conversation first if it approaches the context
 * window. A turn that had an answer before the run was interrupted gets the same again.
 */
export async function askModel(
  run: PreparedRun,
  prepared: PreparedAgent,
  call: Pick<CallOptions, 'mayCall' | 'output'>,
): Promise<ModelAnswer | { readonly failure: Failure }> {
  recallView(run)
  const recorded = recordedAnswer(run)
  if (recorded !== undefined) return recallAnswer(run, recorded)
  const available = availableTokens(run, prepared)
  if (available !== undefined && estimateContext(run, prepared) > available)
    await shortenContext(run, prepared, { reason: 'threshold', available, ask: summariserOf(run) })
  const messages = await messagesForModel(run)
  if ('code' in messages) return { failure: messages }
  const given = await askModels(run, prepared, { ...call, messages, onOverflow: shortenOverflow })
  if ('failure' in given) return given
  const { content, text, calls, finishReason, lowered } = given.answer
  const message: Message = Object.freeze({ role: 'assistant', content })
  rememberProvider(message, given.handle.provider)
  if (text !== '') run.progress.lastText = text
  const broken = await callLoopHook(run, 'afterModel', message)
  return broken === undefined ? { message, text, calls, finishReason, lowered } : { failure: broken }
}

/** Returns the answer that this turn had before the run was interrupted, or `undefined`. */
export function recordedAnswer({ log, progress }: PreparedRun): RecordedAnswer | undefined {
  return log.journal?.step(`llm:${progress.turn}`) as RecordedAnswer | undefined
}

function recallAnswer({ progress }: PreparedRun, recorded: RecordedAnswer): ModelAnswer {
  const { content, finishReason, provider, lowered } = recorded
  const message: Message = Object.freeze({ role: 'assistant', content })
  rememberProvider(message, provider)
  const text = textOf(recorded)
  if (text !== '') progress.lastText = text
  return { message, text, calls: callsOf(recorded), finishReason, lowered }
}

/** Shortens a conversation that the provider rejected as too long, and returns the messages to send. */
const shortenOverflow: OnContextOverflow = async (run, prepared) => {
  const cause = {
    reason: 'overflow',
    available: availableTokens(run, prepared),
    ask: summariserOf(run),
  } as const
  if (!(await shortenContext(run, prepared, cause))) return undefined
  const messages = await messagesForModel(run)
  return 'code' in messages ? undefined : messages
}

function summariserOf(run: PreparedRun): AskSummariser {
  return async (summariser, messages) => {
    const given = await askModels(run, summariser, {
      messages,
      mayCall: true,
      output: { format: 'text' },
      isSideCall: true,
    })
    return 'failure' in given ? given : given.answer
  }
}
