import type { PoolClient } from 'pg'

/** A run whose model call waits for budget. */
export interface WaitingShare {
  readonly runId: string
  /** Position in the order of the calls. */
  readonly ticket: number
  /** Budgets that the call reserves from. */
  readonly budgetIds: readonly string[]
  /**
   * Those that were too small at its last attempt, so that later calls may not reserve from them first. Empty
   * if the call has not been tried since it waited behind another one.
   */
  readonly blocks: readonly string[]
}

interface WaitingRow {
  readonly run_id: string
  readonly ticket: string
  readonly budget_ids: readonly string[]
  readonly blocks: readonly string[]
}

/**
 * Returns the runs of a run tree that wait, in order. Call it in a statement after the budgets were locked,
 * because only then it returns all that wait for them.
 */
export async function readWaiting(
  client: PoolClient,
  { schema, rootRunId }: { readonly schema: string; readonly rootRunId: string },
): Promise<readonly WaitingShare[]> {
  const { rows } = await client.query<WaitingRow>(
    `SELECT run_id, ticket, budget_ids, blocks FROM ${schema}.budget_shares
     WHERE root_run_id = $1 AND ticket IS NOT NULL ORDER BY ticket`,
    [rootRunId],
  )
  return rows.map(({ run_id: runId, ticket, budget_ids: budgetIds, blocks }) => ({
    runId,
    ticket: Number(ticket),
    budgetIds,
    blocks,
  }))
}

/** Returns true if an earlier call of another run waits for one of the budgets of a run. */
export function isTaken(
  waiting: readonly WaitingShare[],
  { runId, budgetIds }: Pick<WaitingShare, 'runId' | 'budgetIds'>,
): boolean {
  const own = waiting.findIndex((each) => each.runId === runId)
  const earlier = unblocked(own < 0 ? waiting : waiting.slice(0, own))
  return earlier.some((each) => budgetIds.some((id) => blocksOf(each).includes(id)))
}

/**
 * Returns the first run after a ticket whose call may be tried. `blocks` are the budgets for which the
 * run itself waits from now on; `undefined` if it does not wait.
 */
export function nextWaiting(
  waiting: readonly WaitingShare[],
  {
    runId,
    blocks,
    after,
  }: {
    readonly runId: string
    readonly blocks: readonly string[] | undefined
    readonly after: number
  },
): WaitingShare | undefined {
  const current = waiting.flatMap((each) => {
    if (each.runId !== runId) return [each]
    return blocks === undefined ? [] : [{ ...each, blocks }]
  })
  return unblocked(current).find(({ ticket }) => ticket > after)
}

/** Returns those that do not wait behind an earlier one. One that does blocks no budget. */
function unblocked(waiting: readonly WaitingShare[]): readonly WaitingShare[] {
  const blocked = new Set<string>()
  return waiting.filter((each) => {
    if (each.budgetIds.some((id) => blocked.has(id))) return false
    for (const id of blocksOf(each)) blocked.add(id)
    return true
  })
}

/** Returns the budgets that later calls may not use. A call that is to be tried next comes before all of them. */
function blocksOf({ blocks, budgetIds }: WaitingShare): readonly string[] {
  return blocks.length === 0 ? budgetIds : blocks
}
