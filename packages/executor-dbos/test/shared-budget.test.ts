import { createCancellation } from '@troupe/core'
import { failure, NO_USAGE, type Budget, type EventDraft } from '@troupe/schema'
import type { CallBound, Reservation, RunTreeLog, RunTreeSettings } from '@troupe/schema/ports'
import { verifies } from '@troupe/testkit/internal'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { describe, expect, it } from 'vitest'
import { isTaken, nextWaiting } from '../src/tasks/waiting-runs.ts'
import {
  settleBudgets,
  useBudgetWorkers,
  type PlannedRun,
  type StartedRun,
} from './support/shared-budgets.ts'

/** A call whose worst case is 100 tokens, which cannot be lowered. */
const CALL: CallBound = { inputTokens: 36, outputTokens: 64, price: undefined, isClosing: false }
const WORST = 100
const HALF = { tokens: WORST / 2, micros: 0 }

const workersOf = useBudgetWorkers()
let trees = 0

/** Adds a run tree of its own. */
async function addTree(budget: Budget, tree: Partial<RunTreeSettings> = {}) {
  trees += 1
  const workers = workersOf()
  const root: PlannedRun = { runId: `root ${trees}`, budget }
  await workers[0].addRoot(root, tree)
  const child = (name: string, own: Budget = {}): PlannedRun => ({
    runId: `${root.runId} ${name}`,
    parent: root,
    budget: own,
  })
  return { workers, root, child }
}

/** Reserves a call that must fit. */
async function reserve({ scope }: StartedRun, call: Partial<CallBound> = {}): Promise<Reservation> {
  const given = await scope?.reserve({ ...CALL, ...call })
  if (given === undefined || 'limit' in given) throw new TypeError(`refused: ${JSON.stringify(given)}`)
  return given
}

/** Returns the amounts of the budgets of a run tree: used, reserved, and reserved for closing turns. */
async function balances(root: PlannedRun): Promise<Record<string, readonly number[]>> {
  const { store } = workersOf()[0]
  const rows = await store.query<{ run_id: string; used: string; reserved: string; aside: string }>(
    `SELECT run_id, used_tokens AS used, reserved_tokens AS reserved, aside_tokens AS aside
     FROM ${store.schema}.budgets WHERE root_run_id = $1`,
    [root.runId],
  )
  return Object.fromEntries(
    rows.map(({ run_id: id, used, reserved, aside }) => [
      id,
      [Number(used), Number(reserved), Number(aside)],
    ]),
  )
}

/** Appends a model call of a run to its log, as core does. */
async function appendUsage(log: RunTreeLog, { runId, parent }: PlannedRun, tokens: number): Promise<void> {
  const event: EventDraft = {
    type: 'usage',
    time: 0,
    runId,
    rootRunId: parent?.runId ?? runId,
    agent: runId,
    instance: runId,
    depth: 0,
    provider: 'test',
    model: 'test/model',
    tokens: { ...NO_USAGE, input: tokens, modelCalls: 1 },
    cost: null,
    latencyMs: 0,
    estimated: false,
    turn: 1,
  }
  log.append({ runId, event })
  await log.waitForCommit()
}

describe.skipIf(!HAS_POSTGRES)(`budgets that several workers share${POSTGRES_NOTE}`, () => {
  it(`eight callers on two connections never exceed a cap, and every call that fits is admitted ${verifies('C51')}`, async () => {
    const calls = 60
    // Three calls fit at once, and all of them if each gives back what it does not use.
    const cap = 3 * WORST + calls
    const { workers, root, child } = await addTree({ maxTokens: cap })
    await workers[0].start(root)
    const callers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (workers[index % 2] ?? workers[0]).start(child(`child ${index}`)),
      ),
    )
    let inFlight = 0
    let used = 0
    let left = calls
    const taken: number[] = []
    await Promise.all(
      callers.map(async (caller) => {
        while (left > 0) {
          left -= 1
          const reservation = await reserve(caller)
          inFlight += 1
          taken.push(used + inFlight * WORST)
          await new Promise((resolve) => setTimeout(resolve, 25))
          inFlight -= 1
          used += 1
          reservation.settle({ tokens: 1, micros: 0 })
        }
      }),
    )
    await settleBudgets(
      workers,
      callers.map(({ ledger }) => ledger),
    )
    expect(taken).toHaveLength(calls)
    expect(Math.max(...taken)).toBeLessThanOrEqual(cap)
    expect(await balances(root)).toEqual({ [root.runId]: [calls, 0, 0] })
    expect(await callers[0]?.scope?.reserve({ ...CALL, inputTokens: 3 * WORST })).toMatchObject({
      kind: 'tokens',
      used: calls,
      cap,
      limit: `maxTokens of ${root.runId}`,
    })
  })

  it('a run that continues on another worker releases what its first worker had reserved, and counts its paid calls once', async () => {
    const { workers, root, child } = await addTree({ maxTokens: 1000 })
    const [first, second] = workers
    const run = child('child', { maxTokens: 500 })
    const both = (amounts: readonly number[]) => ({ [root.runId]: amounts, [run.runId]: amounts })
    await first.start(root)
    const rootLog = await first.store.open(root.runId, 'first')
    const log = await first.store.openRun({ rootRunId: root.runId, runId: run.runId }, 'first')
    const killed = await first.start(run)
    const settled = await reserve(killed)
    await appendUsage(log, run, 30)
    settled.settle({ tokens: 30, micros: 0 })
    killed.scope?.reserveForClosing({ tokens: 20, micros: 0 })
    const unsettled = await reserve(killed)
    // The worker was killed after the event of the second call was stored, and during a third one.
    await appendUsage(log, run, 70)
    await reserve(killed)
    expect(await balances(root)).toEqual(both([30, 200, 20]))

    const continued = await second.start(run)
    expect(await balances(root)).toEqual(both([100, 0, 0]))
    unsettled.settle({ tokens: 70, micros: 0 })
    await expect(killed.ledger.flush()).rejects.toMatchObject({ code: 'store_lease_lost' })
    await expect(killed.scope?.reserve(CALL)).rejects.toMatchObject({ code: 'store_lease_lost' })
    await killed.ledger.finish()
    ;(await reserve(continued)).settle(HALF)
    await continued.ledger.flush()
    expect(await balances(root)).toEqual(both([150, 0, 0]))
    await Promise.all([log.close(), rootLog.close()])
  })

  it('a run that ends without settling a call releases it, and counts the call if it was paid', async () => {
    const { workers, root } = await addTree({ maxTokens: 1000 })
    const log = await workers[0].store.open(root.runId, 'first')
    const run = await workers[0].start(root)
    run.scope?.reserveForClosing({ tokens: 100, micros: 0 })
    await reserve(run)
    await reserve(run)
    await appendUsage(log, root, 40)
    await run.ledger.finish()
    expect(await balances(root)).toEqual({ [root.runId]: [40, 0, 0] })
    await log.close()
  })

  it('a call that waits on a worker ends when it is cancelled, and lets the call behind it try', async () => {
    const { workers, root, child } = await addTree({ maxTokens: 250 })
    await workers[0].start(root)
    const holder = await workers[0].start(child('holder'))
    const large = await workers[1].start(child('large'))
    const small = await workers[0].start(child('small'))
    const ledgers = [holder, large, small].map(({ ledger }) => ledger)
    await reserve(holder)
    const stop = createCancellation()
    const waiting = large.scope?.reserve({ ...CALL, inputTokens: 180 }, stop)
    await settleBudgets(workers, ledgers)
    let isAdmitted = false
    const behind = reserve(small).then((reservation) => {
      isAdmitted = true
      return reservation
    })
    await settleBudgets(workers, ledgers)
    expect(isAdmitted).toBe(false)
    stop.cancel(failure('run_cancelled', 'Stopped.'))
    expect(await waiting).toBeUndefined()
    expect(await behind).toMatchObject({ maxOutputTokens: 64 })
  })

  it('the waiting call of a killed worker blocks no other call once its run continues', async () => {
    const { workers, root, child } = await addTree({ maxTokens: 250 })
    await workers[0].start(root)
    const holder = await workers[0].start(child('holder'))
    const killed = await workers[0].start(child('killed'))
    await reserve(holder)
    const never = createCancellation()
    void killed.scope?.reserve({ ...CALL, inputTokens: 180 }, never)
    await settleBudgets(workers, [killed.ledger])
    const log = await workers[1].store.open(root.runId, 'second')
    const small = await workers[1].start(child('small'))
    const behind = reserve(small)
    await settleBudgets(workers, [small.ledger])
    await workers[1].start(child('killed'))
    expect(await behind).toMatchObject({ maxOutputTokens: 64 })
    await log.close()
  })

  it('a call that no longer waits behind another one is tried before later calls for any of its budgets', () => {
    const first = { runId: 'first', ticket: 1, budgetIds: ['a', 'root'], blocks: ['a'] }
    const second = { runId: 'second', ticket: 2, budgetIds: ['a', 'b', 'root'], blocks: [] }
    const later = { runId: 'later', budgetIds: ['b'] }
    expect(isTaken([first, second], later)).toBe(false)
    expect(isTaken([second], later)).toBe(true)
    const leave = { runId: 'first', blocks: undefined, after: 0 }
    expect(nextWaiting([first, second], leave)).toBe(second)
  })

  it('a fork on workers starts with the usage of the original run, which counts once', async () => {
    const { workers, root, child } = await addTree({ maxTokens: 1000 })
    const [worker] = workers
    const log = await worker.store.open(root.runId, 'first')
    await appendUsage(log, root, 40)
    await appendUsage(log, child('child'), 60)
    const spent = { tokens: 100, micros: 0 }
    const run = await worker.start(root, spent)
    expect(await balances(root)).toEqual({ [root.runId]: [100, 0, 0] })
    await run.ledger.finish()
    await worker.start(root, spent)
    expect(await balances(root)).toEqual({ [root.runId]: [100, 0, 0] })
    await log.close()
  })

  it('deleting a run tree deletes its budgets', async () => {
    const { workers, root } = await addTree({ maxTokens: 1000 }, { budget: { maxCost: 1 } })
    await workers[0].start(root)
    expect(Object.keys(await balances(root)).toSorted()).toEqual(['', root.runId])
    const { store } = workers[0]
    await store.query(`DELETE FROM ${store.schema}.trees WHERE root_run_id = $1`, [root.runId])
    expect(await balances(root)).toEqual({})
    expect(
      await store.query(`SELECT 1 FROM ${store.schema}.budget_shares WHERE root_run_id = $1`, [root.runId]),
    ).toEqual([])
  })
})
