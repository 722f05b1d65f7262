import {
  failure,
  type Failure,
  type Json,
  type Message,
  type ModelHandle,
  type PreparedAgent,
  type Usage,
} from '@troupe/schema'
import { callModel, type CallOptions } from './call-model.ts'
import { callLoopHook, messagesForModel } from './loop-hooks.ts'
import { rememberProvider } from './own-messages.ts'
import type { Answer, ModelCall } from './read-answer.ts'
import { keepReport } from './prompt-size.ts'
import { reserveCall } from './reserve-call.ts'
import { retryDelay } from './retry-delay.ts'
import { isHeard, write, type Run } from './run.ts'
import { sleep } from './stop.ts'
import { toUsage } from './to-usage.ts'

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
  const messages = await messagesForModel(run)
  if ('code' in messages) return { failure: messages }
  const call: CallOptions = { ...options, messages }
  let last: { readonly model: string; readonly failure: Failure } | undefined
  for (const handle of prepared.models) {
    if (last !== undefined) {
      write(run, 'model-fallback', { from: last.model, to: handle.id, code: last.failure.code })
    }
    const answer = await tryModel(run, prepared, handle, call)
    if (!('failure' in answer)) {
      keepReport(run, { handle, messages }, answer.usage)
      return accept(run, answer, handle)
    }
    last = { model: handle.id, failure: answer.failure }
    if (run.stop.reason !== undefined || FINAL.has(answer.failure.code)) break
  }
  return {
    failure: last?.failure ?? failure('model_unset', `The agent ${run.request.agent.name} has no model.`),
  }
}

/** What another model would not change, or must not get around. */
const FINAL: ReadonlySet<string> = new Set(['context_overflow', 'budget_exceeded'])

/** One model, with its further attempts. Every one of them is told and accounted. */
export async function tryModel(
  run: Run,
  prepared: PreparedAgent,
  handle: ModelHandle,
  call: CallOptions,
): Promise<(Answer & { readonly lowered?: Failure | undefined }) | { readonly failure: Failure }> {
  const { maxRetries } = run.definition.limits
  for (let attempt = 1; ; attempt++) {
    const paid =
      run.pot === undefined ? undefined : await reserveCall(run, run.pot, { ...call, prepared, handle })
    if (paid !== undefined && 'failure' in paid) return paid
    const startedAt = run.root.clock.monotonic()
    const answer = await callModel(run, prepared, handle, paid === undefined ? call : { ...call, paid })
    paid?.settle(answer)
    recordUsage(run, handle, answer, { startedAt, isAside: call.isAside === true })
    if (!('failure' in answer)) return paid === undefined ? answer : { ...answer, lowered: paid.lowered }
    if (run.stop.reason !== undefined || !answer.retryable || attempt > maxRetries) return answer
    const delayMs = retryDelay(attempt, answer.retryAfterMs, run.root.random)
    write(run, 'model-retry', {
      model: handle.id,
      attempt,
      delayMs,
      code: answer.failure.code,
      message: answer.failure.message,
    })
    await sleep(delayMs, run.stop, run.root.clock)
    if (run.stop.reason !== undefined) return answer
  }
}

async function accept(
  run: Run,
  answer: Answer & { readonly lowered?: Failure | undefined },
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

function recordUsage(
  run: Run,
  handle: ModelHandle,
  answer: Awaited<ReturnType<typeof callModel>>,
  call: { readonly startedAt: number; readonly isAside: boolean },
): void {
  const tokens: Usage = toUsage(answer.usage, handle.price)
  const isPriced = handle.price !== undefined
  run.account.add(run.request.agent.name, tokens, isPriced ? undefined : handle.id)
  if (!isHeard(run)) return
  write(
    run,
    'usage',
    {
      provider: handle.provider,
      model: handle.id,
      tokens,
      cost: isPriced ? tokens.micros / 1_000_000 : null,
      latencyMs: Math.round(run.root.clock.monotonic() - call.startedAt),
      estimated: tokens.estimated > 0,
      turn: run.turn,
    },
    'failure' in answer || call.isAside
      ? {}
      : {
          step: {
            key: `llm:${run.turn}`,
            value: { content: answer.content, finishReason: answer.finishReason } as unknown as Json,
          },
        },
  )
}
