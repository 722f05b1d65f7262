import type { Failure, MaybePromise, Message, PreparedAgent } from '@troupe/schema'
import type { RequestedToolCall } from './answer-draft.ts'
import { askModels, type ModelsAnswer } from './ask-models.ts'
import type { CallOptions } from './call-model.ts'
import { callLoopHook, messagesForModel } from '../session/loop-hooks.ts'
import { rememberProvider } from '../session/messages-for-provider.ts'
import { recallAnswer } from '../journal/recall-answer.ts'
import type { Run } from '../session/run.ts'
import { whenKnown } from '../time/when-known.ts'

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
