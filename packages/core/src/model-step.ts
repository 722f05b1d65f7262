import { failure, type Failure, type Message, type ModelHandle, type PreparedAgent } from '@troupe/schema'
import type { ModelCall } from './answer-draft.ts'
import type { CallOptions } from './call-model.ts'
import { callLoopHook, messagesForModel } from './loop-hooks.ts'
import { rememberProvider } from './own-messages.ts'
import { recallAnswer } from './recall-answer.ts'
import { write, type Run } from './run.ts'
import { tryModel, type PaidAnswer } from './try-model.ts'

/** What one turn of the model gave. */
export interface ModelAnswer {
  readonly message: Message
  readonly text: string
  readonly calls: readonly ModelCall[]
  readonly finishReason: string
  /** The budget that lowered the limit of output tokens; none: it was not lowered. */
  readonly lowered: Failure | undefined
}

/** One turn of the model: the first model of the list that answers, each tried again while that may help. */
export async function modelStep(
  run: Run,
  prepared: PreparedAgent,
  options: Omit<CallOptions, 'messages'>,
): Promise<ModelAnswer | { readonly failure: Failure }> {
  const recalled = recallAnswer(run)
  if (recalled !== undefined) return recalled
  const messages = await messagesForModel(run)
  if ('code' in messages) return { failure: messages }
  const call: CallOptions = { ...options, messages }
  let last: { readonly model: string; readonly failure: Failure } | undefined
  for (const [index, handle] of prepared.models.entries()) {
    if (last !== undefined) {
      write(run, 'model-fallback', { from: last.model, to: handle.id, code: last.failure.code })
    }
    const isLast = index === prepared.models.length - 1
    const done = run.root.waiting?.work()
    const answer = await tryModel(run, { prepared, handle, isLast }, call)
    done?.()
    if (!('failure' in answer)) return accept(run, answer, handle)
    last = { model: handle.id, failure: answer.failure }
    if (run.stop.reason !== undefined || FINAL.has(answer.failure.code)) break
  }
  return {
    failure: last?.failure ?? failure('model_unset', `The agent ${run.request.agent.name} has no model.`),
  }
}

/** What another model would not change, or must not get around. */
const FINAL: ReadonlySet<string> = new Set(['context_overflow', 'budget_exceeded'])

async function accept(
  run: Run,
  answer: PaidAnswer,
  handle: ModelHandle,
): Promise<ModelAnswer | { readonly failure: Failure }> {
  const message: Message = Object.freeze({ role: 'assistant', content: answer.content })
  rememberProvider(message, handle.provider)
  if (answer.text !== '') run.lastText = answer.text
  const broken = await callLoopHook(run, 'afterModel', message)
  if (broken !== undefined) return { failure: broken }
  return {
    message,
    text: answer.text,
    calls: answer.calls,
    finishReason: answer.finishReason,
    lowered: answer.lowered,
  }
}
