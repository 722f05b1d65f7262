import { failure, type AgentDefinition, type Budget, type Failure, type Usage } from '@troupe/schema'
import type {
  ModelHandle,
  BudgetScope,
  PreparedAgent,
  Reservation,
  BudgetExceeded,
  Spend,
  ModelPrice,
} from '@troupe/schema/ports'
import { highestInputPrice } from './balance.ts'
import type { LoggedRun } from '../log/run-log.ts'
import type { LanguageModelV4Usage } from '@ai-sdk/provider'

/** Default output tokens of a call with a budget. */
const DEFAULT_OUTPUT = 8192
/** Output tokens reserved for the closing turn of an agent with children. */
const CLOSING_OUTPUT = 512
/** Tokens reserved for the result of one call that may be refused. */
const REFUSAL_TOKENS = 256

const NOTHING: Spend = Object.freeze({ tokens: 0, micros: 0 })

/** The part of an answer that decides how much of a reservation was used. */
type SettledAnswer =
  | { readonly calls: readonly unknown[] }
  | { readonly failure: Failure; readonly isFree?: boolean }

/** A model call that the budget allows. */
export interface PaidCall {
  readonly maxOutputTokens: number
  /** Reason that the output limit was lowered. `undefined` if it was not. */
  readonly lowered: Failure | undefined
  /** Counts the usage of the finished call, or its worst case if the usage is unknown. */
  settle(answer: SettledAnswer, usage: Usage): void
}

/**
 * Opens the budget of a run, or returns `undefined` if there is no limit. An agent with children reserves a
 * closing turn after a prompt of `inputTokens`, so that it can still answer.
 */
export function openBudget(
  run: LoggedRun,
  prepared: PreparedAgent,
  inputTokens: (handle: ModelHandle) => number,
): BudgetScope | undefined {
  const { request, definition } = run
  const budget = run.root.budgetLedger.openScope({
    runId: request.runId,
    parentRunId: request.parentRunId,
    budget: definition.limits,
    limitName: (key) => nameOf(key, definition.source),
    // at its start, a run has only used what it used before it was resumed
    ...(run.log.journal === undefined ? {} : { spent: toSpend(run.account.total()) }),
  })
  const [handle] = prepared.models
  if (budget !== undefined && handle !== undefined && mayDelegate(prepared))
    budget.reserveForClosing(spendOf(handle, inputTokens(handle), CLOSING_OUTPUT))
  return budget
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
  /** Maximum input tokens. */
  readonly inputTokens: number
  readonly mayCall: boolean
}

/**
 * Reserves the worst case of a call. Returns a failure if the budget does not allow the call or the run is
 * cancelled while it waits.
 */
export async function reserveCall(
  run: LoggedRun,
  budget: BudgetScope,
  call: BoundCall,
): Promise<PaidCall | { readonly failure: Failure }> {
  const { handle, inputTokens } = call
  warnUnpriced(run, budget, handle)
  const bound = {
    inputTokens,
    outputTokens: run.definition.settings.maxOutputTokens ?? DEFAULT_OUTPUT,
    price: handle.price,
    isClosing: !call.mayCall,
  }
  return toPaid(run, call, await budget.reserve(bound, run.cancellation))
}

function toPaid(
  run: LoggedRun,
  call: BoundCall,
  result: Reservation | BudgetExceeded | undefined,
): PaidCall | { readonly failure: Failure } {
  if (result === undefined)
    return { failure: run.cancellation.reason ?? failure('run_cancelled', 'The run was stopped.') }
  if ('limit' in result) {
    appendBudgetEvent(run, result)
    return { failure: budgetFailure(result, 'does not allow another model call') }
  }
  if (result.loweredBy !== undefined) appendBudgetEvent(run, result.loweredBy)
  return {
    maxOutputTokens: result.maxOutputTokens,
    lowered: result.loweredBy && budgetFailure(result.loweredBy, 'cut the answer short'),
    settle: (answer, usage) => settle(run, result, { ...call, answer, usage }),
  }
}

function settle(
  run: LoggedRun,
  reservation: Reservation,
  call: BoundCall & { readonly answer: SettledAnswer; readonly usage: Usage },
): void {
  const { handle, answer, usage } = call
  const spent = amountSpent(answer, reservation, usage)
  if ('failure' in answer) {
    reservation.settle(spent)
    return
  }
  const mayContinue = answer.calls.length > 0 && call.mayCall && mayDelegate(call.prepared)
  reservation.settle(
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
function amountSpent(answer: SettledAnswer, reservation: Reservation, usage: Usage): Spend {
  if ('failure' in answer && answer.isFree === true) return NOTHING
  return usage.estimated > 0 ? reservation.worst : toSpend(usage)
}

/** Returns the part of a usage that counts against a budget. */
function toSpend({ input, output, micros }: Usage): Spend {
  return { tokens: input + output, micros }
}

function spendOf({ price }: ModelHandle, input: number, output: number): Spend {
  const perMillion = price === undefined ? 0 : input * highestInputPrice(price) + output * price.output
  return { tokens: input + output, micros: Math.ceil(perMillion / 1_000_000) }
}

function mayDelegate({ tools }: PreparedAgent): boolean {
  for (const { source } of tools.values()) if (source === 'agent') return true
  return false
}

function warnUnpriced(run: LoggedRun, budget: BudgetScope, { id, price }: ModelHandle): void {
  if (price !== undefined || !budget.firstUnpriced(id)) return
  run.log.appendEvent('warning', {
    code: 'model_unpriced',
    message: `The price of ${id} is unknown, so its calls do not count against maxCost. Set it in providers.<name>.prices, or limit tokens with limits.maxTokens.`,
  })
}

function appendBudgetEvent(run: LoggedRun, { kind, used, cap }: BudgetExceeded): void {
  run.log.appendEvent('budget', { kind, used, cap })
}

/** Returns the failure of a call that a budget refuses or lowers. `what` completes the sentence about the budget. */
export function budgetFailure(
  { kind, used, cap, limit, retryAt, needs }: BudgetExceeded,
  what: string,
): Failure {
  const unit = kind === 'cost' ? 'USD' : 'tokens'
  const state = `The budget ${what}: ${used} of ${cap} ${unit} have been used (${limit}).`
  const message = needs === undefined ? state : `${state} ${needText(needs, unit)}`
  const target = needs === undefined ? limit : `${limit} to at least ${needs.cap}`
  if (retryAt === undefined) return failure('budget_exceeded', message, `Raise ${target}.`)
  const fix = `Try again after ${new Date(retryAt).toISOString()}, or raise ${target}.`
  return { ...failure('budget_exceeded', message, fix), retryAt }
}

function needText(
  { least, most, cap, inputTokens, outputTokens }: NonNullable<BudgetExceeded['needs']>,
  unit: string,
): string {
  const parts = `prompt ${inputTokens} + output ${outputTokens}${unit === 'tokens' ? '' : ' tokens'}`
  const limit = cap === least ? '' : `, so a limit of at least ${cap}`
  return `The next call may use up to ${most} ${unit} (${parts}); it needs at least ${least}${limit}.`
}

const CHARACTERS_PER_TOKEN = 4
/** Larger counts are treated as wrong: no model reads or writes that many tokens. */
const MAX_TOKENS = 100_000_000

/** The counts of one model call. */
interface ModelCallCounts {
  readonly usage?: LanguageModelV4Usage | undefined
  /** True if nothing was generated. */
  readonly isFree?: boolean
  /** Number of characters received, including reasoning and arguments. */
  readonly received?: number
  /** Output limit of the call. `undefined` if it has none. */
  readonly maxOutputTokens?: number | undefined
  /** Recorded usage, if the answer comes from a recording. */
  readonly replayed?: Usage
}

/**
 * Returns the usage of one model call. Missing or implausible counts are estimated: the input by
 * `estimateInput`, in tokens, and the output at four characters per token, at most its limit. The call is
 * marked as estimated. A refused call used nothing.
 */
export function callUsage(
  answer: ModelCallCounts,
  { price }: Pick<ModelHandle, 'price'>,
  estimateInput: () => number,
): Usage {
  if (answer.replayed !== undefined) return answer.replayed
  if (answer.isFree === true) return { ...toUsage(undefined, price), estimated: 0 }
  const { usage, received = 0, maxOutputTokens = Infinity } = answer
  const input = plausible(usage?.inputTokens.total, 1)
  const output = plausible(usage?.outputTokens.total, received > 0 ? 1 : 0)
  if (usage !== undefined && input !== undefined && output !== undefined) return toUsage(usage, price)
  const counted: LanguageModelV4Usage = {
    inputTokens: {
      total: input ?? estimateInput(),
      noCache: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
    },
    outputTokens: {
      total: output ?? Math.min(Math.ceil(received / CHARACTERS_PER_TOKEN), maxOutputTokens),
      text: undefined,
      reasoning: undefined,
    },
  }
  return { ...toUsage(counted, price), estimated: 1 }
}

function plausible(count: number | undefined, least: number): number | undefined {
  return count !== undefined && Number.isInteger(count) && count >= least && count <= MAX_TOKENS
    ? count
    : undefined
}

/**
 * Converts the reported usage of one model call. Missing counts are 0 and mark the call as estimated; a
 * missing price marks it as unpriced.
 */
function toUsage(reported: LanguageModelV4Usage | undefined, price: ModelPrice | undefined): Usage {
  const input = reported?.inputTokens.total
  const output = reported?.outputTokens.total
  const usage = {
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: reported?.inputTokens.cacheRead ?? 0,
    cacheWrite: reported?.inputTokens.cacheWrite ?? 0,
    reasoning: reported?.outputTokens.reasoning ?? 0,
    micros: 0,
    modelCalls: 1,
    toolCalls: 0,
    unpriced: price === undefined ? 1 : 0,
    estimated: input === undefined || output === undefined ? 1 : 0,
  }
  if (price !== undefined) usage.micros = costOf(usage, price)
  return usage
}

/** Returns the cost in micro-USD, rounded up. Cached input has its own price if one is known. */
function costOf(
  counts: Pick<Usage, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>,
  price: ModelPrice,
): number {
  const plain = Math.max(0, counts.input - counts.cacheRead - counts.cacheWrite)
  const perMillion =
    plain * price.input +
    counts.cacheRead * (price.cacheRead ?? price.input) +
    counts.cacheWrite * (price.cacheWrite ?? price.input) +
    counts.output * price.output
  return Math.ceil(perMillion / 1_000_000)
}
