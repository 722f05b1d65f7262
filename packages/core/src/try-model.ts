import type { Failure, ModelHandle, PreparedAgent } from '@troupe/schema'
import { callModel, type CallOptions } from './call-model.ts'
import { callUsage } from './call-usage.ts'
import type { FailedAnswer } from './classify-model-error.ts'
import { nextAttempt, type Attempt } from './next-attempt.ts'
import type { Answer } from './read-answer.ts'
import { keepReport } from './prompt-size.ts'
import { recordCall } from './record-call.ts'
import { reserveCall } from './reserve-call.ts'
import type { Run } from './run.ts'

/** An answer, and the budget that lowered its limit of output tokens. */
export type PaidAnswer = Answer & { readonly lowered?: Failure | undefined }

/** A model of the list, for one turn. */
export interface TriedModel {
  readonly prepared: PreparedAgent
  readonly handle: ModelHandle
  /** No other one follows. */
  readonly isLast: boolean
}

/** One model with its further attempts: what may help is tried again, with other messages where those sent were at fault. */
export async function tryModel(
  run: Run,
  model: TriedModel,
  call: CallOptions,
): Promise<PaidAnswer | { readonly failure: Failure }> {
  let attempt: Attempt = { messages: call.messages, retries: 0, shortenings: 0, isNudged: false }
  for (;;) {
    const answer = await callOnce(run, model, { ...call, messages: attempt.messages })
    if (!('failure' in answer) || !('retryable' in answer) || run.stop.reason !== undefined) return answer
    const next = await nextAttempt(run, model, { ...call, attempt, answer })
    if ('failure' in next) return next
    attempt = next
  }
}

/** One call: paid for, made, and told. */
async function callOnce(
  run: Run,
  model: TriedModel,
  call: CallOptions,
): Promise<PaidAnswer | FailedAnswer | { readonly failure: Failure }> {
  const { prepared, handle } = model
  const paid =
    run.pot === undefined ? undefined : await reserveCall(run, run.pot, { ...call, prepared, handle })
  if (paid !== undefined && 'failure' in paid) return paid
  const startedAt = run.root.clock.monotonic()
  const answer = await callModel(run, model, paid === undefined ? call : { ...call, paid })
  const latencyMs = run.root.clock.monotonic() - startedAt
  const usage = callUsage(run, answer, { prepared, handle, messages: call.messages })
  paid?.settle(answer, usage)
  if (!('failure' in answer)) keepReport(run, { handle, messages: call.messages }, usage)
  const isAside = call.isAside === true
  if (!('failure' in answer) || answer.isUnsent !== true)
    recordCall(run, answer, { handle, usage, latencyMs, isAside, lowered: paid?.lowered })
  return 'failure' in answer || paid === undefined ? answer : { ...answer, lowered: paid.lowered }
}
