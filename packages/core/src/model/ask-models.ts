import { failure, type Failure, type ModelHandle, type PreparedAgent } from '@troupe/schema'
import { callModel, type CallOptions } from './call-model.ts'
import { callUsage } from '../budget/call-usage.ts'
import type { FailedAnswer } from '../model-faults/classify-model-error.ts'
import { firstAttempt, nextAttempt, type Attempt } from './next-attempt.ts'
import type { Answer } from './read-answer.ts'
import { keepReport } from './prompt-size.ts'
import { recordCall } from '../budget/record-call.ts'
import { reserveCall, type PaidCall } from '../budget/reserve-call.ts'
import { write, type Run } from '../session/run.ts'

/** An answer, and the budget that lowered its limit of output tokens. */
export type PaidAnswer = Answer & { readonly lowered?: Failure | undefined }

/** A model of the list, for one turn. */
export interface TriedModel {
  readonly prepared: PreparedAgent
  readonly handle: ModelHandle
  /** No other one follows. */
  readonly isLast: boolean
}

/** Who answered, and what. */
export interface ModelsAnswer {
  readonly handle: ModelHandle
  readonly answer: PaidAnswer
}

/** Where one turn of the model stands. */
interface Try {
  /** Of its model, in the list. */
  readonly index: number
  readonly model: TriedModel
  readonly attempt: Attempt
}

type Failed = { readonly failure: Failure }

/** The answer of the first model of the list that gives one; with each of them what may help is tried again. */
export function askModels(
  run: Run,
  prepared: PreparedAgent,
  call: CallOptions,
): Promise<ModelsAnswer | Failed> {
  const done = run.root.waiting?.work()
  const asking = tryModels(run, prepared, call)
  return done === undefined ? asking : asking.finally(done)
}

/** Every call is paid for, made, and told. One loop: each function that waits costs as much as the state of its run, and all runs wait here. */
async function tryModels(
  run: Run,
  prepared: PreparedAgent,
  call: CallOptions,
): Promise<ModelsAnswer | Failed> {
  let next = firstTry(run, prepared, { index: 0, call })
  while (!('failure' in next)) {
    const { model, attempt } = next
    const reserving = run.pot && reserveCall(run, run.pot, toBound(call, next))
    const paid = reserving instanceof Promise ? await reserving : reserving
    let answer: PaidAnswer | FailedAnswer | Failed
    if (paid !== undefined && 'failure' in paid) answer = paid
    else {
      const sent = toSent(call, attempt, paid)
      const startedAt = run.root.clock.monotonic()
      answer = settle(run, model, { sent, paid, startedAt, answer: await callModel(run, model, sent) })
    }
    if (!('failure' in answer)) return { handle: model.handle, answer }
    next = await afterFailure(run, next, { call, answer })
  }
  return next
}

function firstTry(
  run: Run,
  prepared: PreparedAgent,
  { index, call }: { readonly index: number; readonly call: CallOptions },
): Try | Failed {
  const handle = prepared.models[index]
  if (handle === undefined)
    return { failure: failure('model_unset', `The agent ${run.request.agent.name} has no model.`) }
  const isLast = index === prepared.models.length - 1
  return { index, model: { prepared, handle, isLast }, attempt: firstAttempt(call.messages) }
}

function toBound(call: CallOptions, { model, attempt }: Try): Parameters<typeof reserveCall>[2] {
  return { ...model, messages: attempt.messages, mayCall: call.mayCall }
}

function toSent(call: CallOptions, { messages }: Attempt, paid: PaidCall | undefined): CallOptions {
  if (paid !== undefined) return { ...call, messages, paid }
  return messages === call.messages ? call : { ...call, messages }
}

/** A call that is over: to the pot, the account and the log. */
function settle(
  run: Run,
  { prepared, handle }: TriedModel,
  call: {
    readonly sent: CallOptions
    readonly paid: PaidCall | undefined
    readonly startedAt: number
    readonly answer: Answer | FailedAnswer
  },
): PaidAnswer | FailedAnswer {
  const { sent, paid, answer } = call
  const { messages } = sent
  const latencyMs = run.root.clock.monotonic() - call.startedAt
  const usage = callUsage(run, answer, { prepared, handle, messages })
  paid?.settle(answer, usage)
  if (!('failure' in answer)) keepReport(run, { handle, messages }, usage)
  const isAside = sent.isAside === true
  if (!('failure' in answer) || answer.isUnsent !== true)
    recordCall(run, answer, { handle, usage, latencyMs, isAside, lowered: paid?.lowered })
  return 'failure' in answer || paid === undefined ? answer : { ...answer, lowered: paid.lowered }
}

/** Another attempt with the same model, else the first one with the next; or why there is none. */
async function afterFailure(
  run: Run,
  { index, model, attempt }: Try,
  { call, answer }: { readonly call: CallOptions; readonly answer: FailedAnswer | Failed },
): Promise<Try | Failed> {
  const mayHelp = 'retryable' in answer && run.stop.reason === undefined
  const next = mayHelp ? await nextAttempt(run, model, { ...call, attempt, answer }) : answer
  if (!('failure' in next)) return { index, model, attempt: next }
  const { code } = next.failure
  if (model.isLast || run.stop.reason !== undefined || FINAL.has(code)) return { failure: next.failure }
  const following = firstTry(run, model.prepared, { index: index + 1, call })
  if (!('failure' in following))
    write(run, 'model-fallback', { from: model.handle.id, to: following.model.handle.id, code })
  return following
}

/** What another model would not change, or must not get around. */
const FINAL: ReadonlySet<string> = new Set(['context_overflow', 'budget_exceeded'])
