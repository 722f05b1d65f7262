import type { Clock, RunEvent } from '@troupe/schema'
import type { BudgetLedger, Spend } from '@troupe/schema/ports'
import type { PostgresStore } from '@troupe/store-postgres'
import { createBudgetShare } from '../tasks/budget-share.ts'
import { toStoredCaps } from '../tasks/stored-caps.ts'
import type { TaskChanges } from '../tasks/task-changes.ts'
import type { StartedTask } from '../tasks/task-table.ts'
import { createSharedScope, type SharedScope } from './shared-scope.ts'

/** The budget ledger of one start of a task. Its balances are in the database, for all workers. */
export interface SharedLedger extends BudgetLedger {
  /**
   * Resolves when the budget of the run is stored, so that runs below it can start. `undefined` if there is
   * nothing to wait for.
   */
  flush(): Promise<void> | undefined
  /** Releases what the run has still reserved. Call it when the run has ended or is suspended. */
  finish(): Promise<void>
}

/** Dependencies of the ledgers of a worker. */
export interface SharedLedgerParts {
  readonly store: PostgresStore
  /** Channel of the notifications of tasks. */
  readonly channel: string
  readonly changes: Pick<TaskChanges, 'watch'>
  readonly clock: Pick<Clock, 'monotonic'>
}

const NOTHING: Spend = { tokens: 0, micros: 0 }
const NEVER = (): boolean => false

/**
 * Opens the ledger of a task whose log is open, so that no earlier start of it can append events. Recovers what
 * an earlier start has reserved or not settled.
 */
export async function openSharedLedger(
  { task, start, capsAbove, hasBudget }: StartedTask,
  { store, channel, changes, clock }: SharedLedgerParts,
): Promise<SharedLedger> {
  const { runId, rootRunId, parentRunId } = task.request
  const share = createBudgetShare({ runId, rootRunId, start }, { store, channel })
  let scope: SharedScope | undefined

  async function recover(isCancelled: () => boolean): Promise<void> {
    await share.takeOver(spentBy(runId, await store.events(rootRunId)), isCancelled)
  }

  const openScope: BudgetLedger['openScope'] = ({ budget, limitName, spent = NOTHING }) => {
    const own = toStoredCaps(runId, budget, limitName)
    const caps = [...own, ...capsAbove]
    if (caps.length === 0) return undefined
    // The budget of the caller has no run of its own, so the root run adds it.
    const added = parentRunId === undefined ? caps : own
    const open = async (isCancelled: () => boolean): Promise<void> => {
      if (hasBudget) return
      // A forked run starts with the usage of the original one.
      const isFork = spent.tokens > 0 || spent.micros > 0
      const used = isFork ? spentBy(runId, await store.events(rootRunId)) : NOTHING
      const budgetIds = added.map(({ budgetId }) => budgetId)
      const isNew = await share.insert({ caps, used, budgetIds, usedBelow: spent }, isCancelled)
      if (!isNew) await recover(isCancelled)
    }
    scope = createSharedScope({ runId, caps, share, changes, clock, open, recover })
    return scope
  }

  if (hasBudget) await recover(NEVER)
  return {
    // The database counts the runs when they are added.
    openRun: () => true,
    openScope,
    flush: () => scope?.flush(),
    finish: async () => scope?.finish(),
  }
}

/** Returns what the model calls of a run have used according to its events. */
function spentBy(runId: string, events: readonly RunEvent[]): Spend {
  let tokens = 0
  let micros = 0
  for (const event of events) {
    if (event.type !== 'usage' || event.runId !== runId) continue
    tokens += event.tokens.input + event.tokens.output
    micros += event.tokens.micros
  }
  return { tokens, micros }
}
