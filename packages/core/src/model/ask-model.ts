import type { PreparedAgent, Failure, MaybePromise, Message } from '@troupe/schema'
import type { CallOptions } from './call-model.ts'
import { hasRecordedAnswer, recallAnswer } from '../log/recorded-answer.ts'
import type { Run } from '../run/run.ts'
import { estimateContext } from '../context/prompt-size.ts'
import { recallView, availableTokens, shortenContext } from '../context/shorten-context.ts'
import { messagesForModel, callLoopHook } from './loop-hooks.ts'
import type { OnContextOverflow } from './next-attempt.ts'
import type { RequestedToolCall } from './answer-draft.ts'
import { askModels, type ModelsAnswer } from './ask-models.ts'
import { rememberProvider } from './messages-for-provider.ts'
import { whenKnown } from '../time/when-known.ts'

/** Asks the model for one turn. Shortens the conversation first if it approaches the context window. */
export function askModel(
  run: Run,
  prepared: PreparedAgent,
  call: Pick<CallOptions, 'mayCall' | 'output'>,
): ReturnType<typeof modelStep> {
  recallView(run)
  const options = { ...call, onOverflow: shortenOverflow }
  const available = availableTokens(run, prepared)
  if (available === undefined || hasRecordedAnswer(run) || estimateContext(run, prepared) <= available)
    return modelStep(run, prepared, options)
  return shortenContext(run, prepared, { reason: 'threshold', available }).then(() =>
    modelStep(run, prepared, options),
  )
}

/** Shortens a conversation that the provider rejected as too long, and returns the messages to send. */
export const shortenOverflow: OnContextOverflow = async (run, { prepared }) => {
  const available = availableTokens(run, prepared)
  if (!(await shortenContext(run, prepared, { reason: 'overflow', available }))) return undefined
  const messages = await messagesForModel(run)
  return 'code' in messages ? undefined : messages
}

/** The answer of a model in one turn. */
export interface ModelAnswer {
  readonly message: Message
  readonly text: string
  readonly calls: readonly RequestedToolCall[]
  readonly finishReason: string
  /** Failure of the budget that lowered the output limit. `undefined` if it was not lowered. */
  readonly lowered: Failure | undefined
}

type ModelStepResult = ModelAnswer | { readonly failure: Failure }

/** Runs the model part of one turn, with its hooks. */
export function modelStep(
  run: Run,
  prepared: PreparedAgent,
  options: Omit<CallOptions, 'messages'>,
): MaybePromise<ModelStepResult> {
  const recalled = recallAnswer(run)
  if (recalled !== undefined) return recalled
  return whenKnown(messagesForModel(run), (messages) => {
    if ('code' in messages) return { failure: messages }
    return askModels(run, prepared, { ...options, messages }).then((given) => accept(run, given))
  })
}

function accept(
  run: Run,
  given: ModelsAnswer | { readonly failure: Failure },
): MaybePromise<ModelStepResult> {
  if ('failure' in given) return given
  const { content, text, calls, finishReason, lowered } = given.answer
  const message: Message = Object.freeze({ role: 'assistant', content })
  rememberProvider(message, given.handle.provider)
  if (text !== '') run.lastText = text
  const step: ModelAnswer = { message, text, calls, finishReason, lowered }
  return whenKnown(callLoopHook(run, 'afterModel', message), (broken) =>
    broken === undefined ? step : { failure: broken },
  )
}
