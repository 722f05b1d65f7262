import type { EventPayloads, Failure, ModelHandle, Usage } from '@troupe/schema'
import type { FailedAnswer } from './classify-model-error.ts'
import type { CompleteAnswer } from './read-answer.ts'
import { recordAnswer } from '../log/recorded-steps.ts'
import type { LoggedRun } from '../log/run-log.ts'

/**
 * Records a model call: adds its usage to the account and appends a `usage` event, with the step to resume
 * from. Failed calls are recorded too.
 */
export function recordCall(
  run: LoggedRun,
  answer: CompleteAnswer | FailedAnswer,
  call: {
    readonly handle: ModelHandle
    readonly usage: Usage
    readonly latencyMs: number
    /** True for a side call outside the conversation. It is only stored for replay. */
    readonly isSideCall: boolean
    /** Failure of the budget that lowered the limit of output tokens. */
    readonly lowered: Failure | undefined
  },
): void {
  const { handle, usage, latencyMs, lowered } = call
  const isPriced = handle.price !== undefined
  run.account.add(run.request.agent.name, usage, isPriced ? undefined : handle.id)
  if (!run.log.hasListeners) return
  const step =
    'failure' in answer || !run.log.isPersistent
      ? undefined
      : { key: stepKey(run, call), value: recordAnswer({ ...answer, lowered }, handle) }
  run.log.appendDraft(
    {
      ...run.log.envelope('usage'),
      provider: handle.provider,
      model: handle.id,
      tokens: usage,
      cost: isPriced ? usage.micros / 1_000_000 : null,
      latencyMs: Math.round(latencyMs),
      estimated: usage.estimated > 0,
      turn: run.progress.turn,
      ...('failure' in answer ? failureOf(answer) : {}),
    },
    step,
  )
  if ('failure' in answer && answer.rawBody !== undefined) emitRawBody(run, answer.rawBody)
}

function stepKey({ progress }: LoggedRun, { isSideCall }: { readonly isSideCall: boolean }): string {
  if (!isSideCall) return `llm:${progress.turn}`
  progress.sideCalls += 1
  return `aside:${progress.turn}.${progress.sideCalls}`
}

function failureOf({
  failure: error,
  partialText,
}: FailedAnswer): Pick<EventPayloads['usage'], 'error' | 'partialText'> {
  return { error, ...(partialText === undefined ? {} : { partialText }) }
}

const LONGEST_BODY = 4096

/** Emits the provider's response for debugging, in a transient event that is not stored or printed. */
function emitRawBody(run: LoggedRun, body: string): void {
  run.log.emitTransient('log', {
    text: 'The provider gave a reason; the whole of it is in the data of this event.',
    data: { body: body.slice(0, LONGEST_BODY) },
  })
}
