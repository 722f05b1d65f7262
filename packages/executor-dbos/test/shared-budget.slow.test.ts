import { createBudgetLedger, createCancellation, type Cancellation } from '@troupe/core'
import { failure, type Budget } from '@troupe/schema'
import type { BudgetScope, CallBound, Reservation } from '@troupe/schema/ports'
import { verifies } from '@troupe/testkit/internal'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  settleBudgets,
  useBudgetWorkers,
  type PlannedRun,
  type StartedRun,
} from './support/shared-budgets.ts'

const PRICE = { input: 1_000_000, output: 2_000_000 }
const STOPPED = failure('run_cancelled', 'Stopped.')

const budget: fc.Arbitrary<Budget> = fc.record(
  {
    maxTokens: fc.integer({ min: 50, max: 2000 }),
    maxCost: fc.integer({ min: 100, max: 5000 }).map((micros) => micros / 1_000_000),
  },
  { requiredKeys: [] },
)
const RUNS = 5
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      run: fc.nat({ max: RUNS - 1 }),
      inputTokens: fc.integer({ min: 0, max: 300 }),
      outputTokens: fc.integer({ min: 1, max: 600 }),
      isClosing: fc.boolean(),
      isPriced: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      at: fc.nat(),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      next: fc.option(fc.nat({ max: 300 }), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop' as const), at: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('aside' as const),
      run: fc.nat({ max: RUNS - 1 }),
      tokens: fc.nat({ max: 500 }),
    }),
  },
)

const NO_BUDGETS: readonly Budget[] = Array.from({ length: RUNS }, () => ({}))
const CALL = { kind: 'call', inputTokens: 100, outputTokens: 200, isClosing: false, isPriced: false } as const
const END = { kind: 'end', at: 0, part: 0.5, next: undefined } as const
/** Steps in which the second call waits for the first one, and the third one is refused. */
const WAIT_AND_REFUSAL = [
  { ...CALL, run: 0 },
  { ...CALL, run: 1 },
  { ...CALL, run: 2, inputTokens: 300 },
  ...Array.from({ length: 7 }, () => END),
]

/** A call with the decision of one ledger. */
interface Tried {
  readonly stop: Cancellation
  result: Awaited<ReturnType<BudgetScope['reserve']>> | 'waits'
  isSettled: boolean
}

function tryCall(scope: BudgetScope, call: CallBound): Tried {
  const stop = createCancellation()
  const tried: Tried = { stop, result: 'waits', isSettled: false }
  const given = scope.reserve(call, stop)
  if (given instanceof Promise)
    void given.then((result) => {
      tried.result = result
    })
  else tried.result = given
  return tried
}

/** Returns the decision without functions. */
function decisionOf({ result }: Tried): unknown {
  return JSON.parse(JSON.stringify({ result: result ?? 'cancelled' }))
}

function isReserved({ result, isSettled }: Tried): boolean {
  return typeof result === 'object' && 'settle' in result && !isSettled
}

function settleTried(tried: Tried, part: number, next: number | undefined): void {
  const { worst, settle } = tried.result as Reservation
  tried.isSettled = true
  const spent = { tokens: Math.floor(worst.tokens * part), micros: Math.floor(worst.micros * part) }
  settle(spent, next === undefined ? undefined : { tokens: next, micros: next })
}

let trees = 0

/** Returns the runs of a tree: a root run, two children, and one child of each. */
function planTree(budgets: readonly Budget[]): readonly PlannedRun[] {
  trees += 1
  const runs: PlannedRun[] = []
  for (const [index, own] of budgets.entries()) {
    const parent = index === 0 ? undefined : runs[index <= 2 ? 0 : index - 2]
    runs.push({
      runId: `tree ${trees} run ${index}`,
      budget: own,
      ...(parent === undefined ? {} : { parent }),
    })
  }
  return runs
}

const openWorkers = useBudgetWorkers()

describe.skipIf(!HAS_POSTGRES)(`budgets in PostgreSQL${POSTGRES_NOTE}`, () => {
  it(`the ledger of the workers decides on every sequence of calls like the ledger of one process ${verifies('C51', 'C52')}`, async () => {
    const workers = openWorkers()
    let waits = 0
    let refusals = 0
    await fc.assert(
      fc.asyncProperty(
        budget,
        fc.array(budget, { minLength: RUNS, maxLength: RUNS }),
        fc.array(step, { minLength: 10, maxLength: 50 }),
        async (top, budgets, steps) => {
          const runs = planTree(budgets)
          const local = createBudgetLedger(top)
          const scopes: { readonly local: BudgetScope; readonly shared: BudgetScope }[] = []
          const started: StartedRun[] = []
          for (const [index, run] of runs.entries()) {
            const worker = workers[index % 2] ?? workers[0]
            if (run.parent === undefined) await worker.addRoot(run, { budget: top })
            const { runId, parent, budget: own } = run
            const localScope = local.openScope({
              runId,
              parentRunId: parent?.runId,
              budget: own,
              limitName: (key) => `${key} of ${runId}`,
            })
            const shared = await worker.start(run)
            expect(shared.scope === undefined).toBe(localScope === undefined)
            started.push(shared)
            if (localScope !== undefined && shared.scope !== undefined)
              scopes.push({ local: localScope, shared: shared.scope })
          }
          if (scopes.length === 0) return
          const ledgers = started.map(({ ledger }) => ledger)
          const tried: {
            readonly scope: object
            readonly local: Tried
            readonly shared: Tried
          }[] = []
          const compare = async (): Promise<void> => {
            await settleBudgets(workers, ledgers)
            expect(tried.map(({ shared }) => decisionOf(shared))).toEqual(
              tried.map(({ local: each }) => decisionOf(each)),
            )
          }
          const end = (at: number, part: number, next: number | undefined): void => {
            const open = tried.filter(({ local: each }) => isReserved(each))
            const chosen = open[at % Math.max(1, open.length)]
            if (chosen === undefined) return
            settleTried(chosen.local, part, next)
            settleTried(chosen.shared, part, next)
          }
          for (const one of steps) {
            if (one.kind === 'call') {
              const { run, inputTokens, outputTokens, isClosing, isPriced } = one
              const scope = scopes[run % scopes.length]
              // A run does not make another call while one waits.
              if (tried.some((each) => each.scope === scope && each.local.result === 'waits')) continue
              const call = { inputTokens, outputTokens, isClosing, price: isPriced ? PRICE : undefined }
              if (scope !== undefined)
                tried.push({ scope, local: tryCall(scope.local, call), shared: tryCall(scope.shared, call) })
            } else if (one.kind === 'end') end(one.at, one.part, one.next)
            else if (one.kind === 'stop') {
              const open = tried.filter(({ local: { result } }) => result === 'waits')
              const chosen = open[one.at % Math.max(1, open.length)]
              chosen?.local.stop.cancel(STOPPED)
              chosen?.shared.stop.cancel(STOPPED)
            } else {
              const scope = scopes[one.run % scopes.length]
              const amount = { tokens: one.tokens, micros: one.tokens }
              scope?.local.reserveForClosing(amount)
              scope?.shared.reserveForClosing(amount)
            }
            await compare()
            waits += tried.filter(({ local: { result } }) => result === 'waits').length
          }
          refusals += tried.filter(
            ({ local: { result } }) => typeof result === 'object' && 'limit' in result,
          ).length
          while (tried.some(({ local: each }) => isReserved(each))) {
            end(0, 0, undefined)
            await compare()
          }
          for (const scope of scopes) scope.shared.close()
          for (const ledger of ledgers) await ledger.finish()
          const rows = await workers[0].store.query(
            `SELECT 1 FROM ${workers[0].store.schema}.budgets
             WHERE root_run_id = $1 AND (reserved_tokens, reserved_micros, aside_tokens, aside_micros) <> (0, 0, 0, 0)`,
            [runs[0]?.runId],
          )
          expect(rows).toEqual([])
        },
      ),
      {
        numRuns: Number(process.env['BUDGET_RUNS'] ?? 25),
        endOnFailure: true,
        examples: [[{ maxTokens: 350 }, [...NO_BUDGETS], WAIT_AND_REFUSAL]],
      },
    )
    expect(waits).toBeGreaterThan(0)
    expect(refusals).toBeGreaterThan(0)
  }, 600_000)
})
