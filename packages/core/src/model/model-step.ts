import type { Failure, MaybePromise, Message, PreparedAgent } from '@troupe/schema'
import type { ModelCall } from './answer-draft.ts'
import { askModels, type ModelsAnswer } from './ask-models.ts'
import type { CallOptions } from './call-model.ts'
import { callLoopHook, messagesForModel } from '../session/loop-hooks.ts'
import { rememberProvider } from '../session/own-messages.ts'
import { recallAnswer } from '../journal/recall-answer.ts'
import type { Run } from '../session/run.ts'
import { whenKnown } from '../time/when-known.ts'

/** What one turn of the model gave. */
export interface ModelAnswer {
  readonly message: Message
  readonly text: string
  readonly calls: readonly ModelCall[]
  readonly finishReason: string
  /** The budget that lowered the limit of output tokens; none: it was not lowered. */
  readonly lowered: Failure | undefined
}

type Step = ModelAnswer | { readonly failure: Failure }

/** One turn of the model: the messages for it, the first model that answers, and what the hooks say of the answer. */
export function modelStep(
  run: Run,
  prepared: PreparedAgent,
  options: Omit<CallOptions, 'messages'>,
): MaybePromise<Step> {
  const recalled = recallAnswer(run)
  if (recalled !== undefined) return recalled
  return whenKnown(messagesForModel(run), (messages) => {
    if ('code' in messages) return { failure: messages }
    return askModels(run, prepared, { ...options, messages }).then((given) => accept(run, given))
  })
}

function accept(run: Run, given: ModelsAnswer | { readonly failure: Failure }): MaybePromise<Step> {
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
