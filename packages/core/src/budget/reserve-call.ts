import {
  failure,
  type AgentDefinition,
  type Budget,
  type Failure,
  type MaybePromise,
  type ModelHandle,
  type Message,
  type BudgetScope,
  type PreparedAgent,
  type Reservation,
  type BudgetExceeded,
  type Spend,
  type Usage,
} from '@troupe/schema'
import type { CompleteAnswer } from '../model/read-answer.ts'
import type { FailedAnswer } from '../model/classify-model-error.ts'
import { highestInputPrice } from './budget-scope.ts'
import { toSpend } from '../log/restore-account.ts'
import { inputBound } from '../context/prompt-size.ts'
import { appendEvent, type Run } from '../run/run.ts'
import { whenKnown } from '../time/when-known.ts'

/** Default output tokens of a call with a budget. */
const DEFAULT_OUTPUT = 8192
/** Output tokens reserved for the closing turn of an agent with children. */
const CLOSING_OUTPUT = 512
/** Tokens reserved for the result of one call that may be refused. */
const REFUSAL_TOKENS = 256

const NOTHING: Spend = Object.freeze({ tokens: 0, micros: 0 })

/** A model call that the budget allows. */
export interface PaidCall {
  readonly maxOutputTokens: number
  /** Reason that the output limit was lowered. `undefined` if it was not. */
  readonly lowered: Failure | undefined
  /** Counts the usage of the finished call, or its worst case if the usage is unknown. */
  settle(answer: CompleteAnswer | FailedAnswer, usage: Usage): void
}

/**
 * Opens the budget of a run. An agent with children reserves a closing turn, so that it can still answer.
 * Without a limit, nothing is counted.
 */
export function openBudget(run: Run, prepared: PreparedAgent): void {
  const { request, definition } = run
  run.budget = run.root.budgetLedger.openScope({
    runId: request.runId,
    parentRunId: request.parentRunId,
    budget: definition.limits,
    limitName: (key) => nameOf(key, definition.source),
    // at its start, a run has only used what it used before it was resumed
    ...(run.journal === undefined ? {} : { spent: toSpend(run.account.total()) }),
  })
  const [handle] = prepared.models
  if (run.budget === undefined || handle === undefined || !mayDelegate(prepared)) return
  const input = inputBound(run, prepared, { handle, messages: run.messages })
  run.budget.reserveForClosing(spendOf(handle, input, CLOSING_OUTPUT))
}

/**
 * Names a limit for messages. Callers read them and paths are only for the operator, so a file is shown
 * without its folder.
 */
function nameOf(key: keyof Budget, { kind, path, limitNames }: AgentDefinition['source']): string {
  const file = kind === 'code' ? path : path.replace(/^.*[/\\]/u, '')
  return limitNames?.[key] ?? `limits.${key} in ${file}`
}

/** A model call to reserve budget for. */
interface BoundCall {
  readonly prepared: PreparedAgent
  readonly handle: ModelHandle
  readonly messages: readonly Message[]
  readonly mayCall: boolean
}

/**
 * Reserves the worst case of a call, synchronously if no other reservation is waiting. Returns a failure if
 * the budget does not allow the call or the run is cancelled while it waits.
 */
export function reserveCall(
  run: Run,
  budget: BudgetScope,
  call: BoundCall,
): MaybePromise<PaidCall | { readonly failure: Failure }> {
  const { prepared, handle } = call
  warnUnpriced(run, budget, handle)
  const bound = {
    inputTokens: inputBound(run, prepared, call),
    outputTokens: run.definition.settings.maxOutputTokens ?? DEFAULT_OUTPUT,
    price: handle.price,
    isClosing: !call.mayCall,
  }
  return whenKnown(budget.reserve(bound, run.cancellation), (given) => toPaid(run, call, given))
}

function toPaid(
  run: Run,
  call: BoundCall,
  given: Reservation | BudgetExceeded | undefined,
): PaidCall | { readonly failure: Failure } {
  if (given === undefined)
    return { failure: run.cancellation.reason ?? failure('run_cancelled', 'The run was stopped.') }
  if ('limit' in given) {
    appendBudgetEvent(run, given)
    return { failure: budgetFailure(given, 'does not allow another model call') }
  }
  if (given.loweredBy !== undefined) appendBudgetEvent(run, given.loweredBy)
  return {
    maxOutputTokens: given.maxOutputTokens,
    lowered: given.loweredBy && budgetFailure(given.loweredBy, 'cut the answer short'),
    settle: (answer, usage) => settle(run, given, { ...call, answer, usage }),
  }
}

function settle(
  run: Run,
  given: Reservation,
  call: BoundCall & { readonly answer: CompleteAnswer | FailedAnswer; readonly usage: Usage },
): void {
  const { handle, answer, usage } = call
  const spent = amountSpent(answer, given, usage)
  if ('failure' in answer) {
    given.settle(spent)
    return
  }
  const mayContinue = answer.calls.length > 0 && call.mayCall && mayDelegate(call.prepared)
  given.settle(
    spent,
    mayContinue
      ? spendOf(handle, spent.tokens + answer.calls.length * REFUSAL_TOKENS, CLOSING_OUTPUT)
      : undefined,
  )
}

/**
 * Returns the amount that a call used: nothing if the provider refused it, and the worst case if the usage is
 * estimated.
 */
function amountSpent(answer: CompleteAnswer | FailedAnswer, given: Reservation, usage: Usage): Spend {
  if ('failure' in answer && answer.isFree === true) return NOTHING
  return usage.estimated > 0 ? given.worst : { tokens: usage.input + usage.output, micros: usage.micros }
}

function spendOf({ price }: ModelHandle, input: number, output: number): Spend {
  const perMillion = price === undefined ? 0 : input * highestInputPrice(price) + output * price.output
  return { tokens: input + output, micros: Math.ceil(perMillion / 1_000_000) }
}

function mayDelegate({ tools }: PreparedAgent): boolean {
  for (const { source } of tools.values()) if (source === 'agent') return true
  return false
}

function warnUnpriced(run: Run, budget: BudgetScope, { id, price }: ModelHandle): void {
  if (price !== undefined || !budget.firstUnpriced(id)) return
  appendEvent(run, 'warning', {
    code: 'model_unpriced',
    message: `The price of ${id} is not known: its calls do not count against maxCost. Set it in providers.<name>.prices, or cap tokens with limits.maxTokens.`,
  })
}

function appendBudgetEvent(run: Run, { kind, used, cap }: BudgetExceeded): void {
  appendEvent(run, 'budget', { kind, used, cap })
}

function budgetFailure({ kind, used, cap, limit, retryAt, needs }: BudgetExceeded, what: string): Failure {
  const unit = kind === 'cost' ? 'USD' : 'tokens'
  const state = `The budget ${what}: ${used} of ${cap} ${unit} are used (${limit}).`
  const message = needs === undefined ? state : `${state} ${needText(needs, unit)}`
  const raise = needs === undefined ? `aise ${limit}` : `aise ${limit} to at least ${needs.cap}`
  if (retryAt === undefined) return failure('budget_exceeded', message, `R${raise}.`)
  const wait = `Try again after ${new Date(retryAt).toISOString()}, or r${raise}.`
  return { ...failure('budget_exceeded', message, wait), retryAt }
}

function needText(
  { least, most, cap, inputTokens, outputTokens }: NonNullable<BudgetExceeded['needs']>,
  unit: string,
): string {
  const parts = `prompt ${inputTokens} + output ${outputTokens}${unit === 'tokens' ? '' : ' tokens'}`
  const limit = cap === least ? '' : `, so a limit of at least ${cap}`
  return `The next call may use up to ${most} ${unit} (${parts}); it needs at least ${least}${limit}.`
}
