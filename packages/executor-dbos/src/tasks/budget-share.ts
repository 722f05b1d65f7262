import type { PoolClient } from 'pg'
import { capsOf, type Balance, type BalanceChange, type BudgetChain, type BudgetLink } from '@troupe/core'
import { troupeError } from '@troupe/schema'
import type { Spend } from '@troupe/schema/ports'
import type { PostgresStore } from '@troupe/store-postgres'
import type { StoredCaps } from './stored-caps.ts'
import { isTaken, nextWaiting, readWaiting, type WaitingShare } from './waiting-runs.ts'

/** A budget of a chain, with its balance. */
export interface StoredLink extends BudgetLink {
  readonly id: string
}

/** Budgets that apply to a run, and the part of the run in them, while their rows are locked. */
export interface ShareState {
  readonly chain: BudgetChain<StoredLink>
  /** Amounts of the run itself, which are part of each balance. */
  readonly share: Pick<Balance, 'used' | 'reserved' | 'aside'>
}

/** A change of a share and its budgets. */
export interface ShareUpdate<T> {
  readonly value: T
  /** To be added to the share and to each of its budgets. */
  readonly change?: BalanceChange
  /** Ids of the budgets that are too small for the call that waits, or `null` if none waits any more. */
  readonly waitsFor?: readonly string[] | null
  /** True if waiting calls may fit after it. */
  readonly releases?: boolean
}

/** One start of a run. */
export interface RunStart {
  readonly runId: string
  readonly rootRunId: string
  readonly start: number
}

/**
 * The part that one start of a run has in its own budget and those of the runs above it, as rows of the
 * database. All methods wait while the database is away, until `isCancelled` returns true.
 */
export interface BudgetShare {
  /** Adds the rows of a run. Returns false if an earlier start has added them, or a later one has started. */
  insert(
    rows: {
      readonly caps: readonly StoredCaps[]
      /** Usage of the run itself before it was first started by a worker. */
      readonly used: Spend
      /** Ids of the budgets to add, and their usage until now. */
      readonly budgetIds: readonly string[]
      readonly usedBelow: Spend
    },
    isCancelled: () => boolean,
  ): Promise<boolean>
  /**
   * Takes the share over from an earlier start: releases what is reserved, and counts what the run has spent
   * according to its events. Does nothing if there is no share.
   */
  takeOver(spent: Spend, isCancelled: () => boolean): Promise<void>
  /**
   * Locks the rows and applies an update. `isTaken` is true if an earlier call of another run waits for one of
   * the budgets. Throws `store_lease_lost` if a later start has taken the share over.
   */
  update<T>(
    decide: (state: ShareState & { readonly isTaken: boolean }) => ShareUpdate<T>,
    isCancelled: () => boolean,
  ): Promise<T>
}

interface BalanceColumns {
  readonly used_tokens: string
  readonly used_micros: string
  readonly reserved_tokens: string
  readonly reserved_micros: string
  readonly aside_tokens: string
  readonly aside_micros: string
}

interface LockedRow extends BalanceColumns {
  readonly id: string
  readonly caps: readonly StoredCaps[]
  readonly changes: number
  readonly share: string
}

interface LockedShare extends ShareState {
  readonly changes: number
}

const AMOUNTS = [
  'used_tokens',
  'used_micros',
  'reserved_tokens',
  'reserved_micros',
  'aside_tokens',
  'aside_micros',
] as const satisfies readonly (keyof BalanceColumns)[]

/** Creates the share of one start of a run. Nothing is written yet. */
export function createBudgetShare(
  { runId, rootRunId, start }: RunStart,
  {
    store,
    channel,
  }: {
    readonly store: Pick<PostgresStore, 'schema' | 'transaction' | 'query' | 'retry'>
    readonly channel: string
  },
): BudgetShare {
  const { schema } = store

  /** Locks the share and its budgets, in the same order in all transactions. */
  async function lock(client: PoolClient, starts: '=' | '<='): Promise<LockedShare | undefined> {
    const { rows } = await client.query<LockedRow>(
      `SELECT budget.run_id AS id, share.caps, share.changes,
         ${AMOUNTS.map((name) => `budget.${name}`).join(', ')},
         concat_ws(' ', ${AMOUNTS.map((name) => `share.${name}`).join(', ')}) AS share
       FROM ${schema}.budget_shares AS share JOIN ${schema}.budgets AS budget
         ON budget.root_run_id = share.root_run_id AND budget.run_id = ANY (share.budget_ids)
       WHERE share.run_id = $1 AND share.start ${starts} $2
       ORDER BY budget.run_id FOR UPDATE`,
      [runId, start],
    )
    return toLockedShare(rows)
  }

  /** Writes an update, and notifies the first run with a waiting call that may fit now. */
  async function write(
    client: PoolClient,
    { locked, waiting }: { readonly locked: LockedShare; readonly waiting: readonly WaitingShare[] },
    { change = NO_CHANGE, waitsFor, releases = false }: ShareUpdate<unknown>,
  ): Promise<void> {
    const own = waiting.find((each) => each.runId === runId)
    const blocks = waitsFor === undefined ? own?.blocks : (waitsFor ?? undefined)
    // A call that waited passes on to the next one, whether it fits or not.
    const after = releases ? 0 : waitsFor === undefined ? undefined : own?.ticket
    const next = after === undefined ? undefined : nextWaiting(waiting, { runId, blocks, after })
    const { used, reserved, aside } = change
    const added = AMOUNTS.map((name, index) => `${name} = ${name} + $${index + 1}`).join(', ')
    await client.query(
      `WITH share AS (
         UPDATE ${schema}.budget_shares SET ${added}, start = $9, changes = $10, blocks = coalesce($11::text[], '{}'),
           ticket = CASE WHEN $11::text[] IS NOT NULL THEN coalesce(ticket, nextval('${schema}.budget_tickets')) END
         WHERE run_id = $8
       ), balances AS (
         UPDATE ${schema}.budgets SET ${added} WHERE root_run_id = $7 AND run_id = ANY ($12)
       )
       SELECT CASE WHEN $14::text IS NOT NULL THEN pg_notify($13, $14) END`,
      [
        used.tokens,
        used.micros,
        reserved.tokens,
        reserved.micros,
        aside.tokens,
        aside.micros,
        rootRunId,
        runId,
        start,
        locked.changes + 1,
        blocks,
        idsOf(locked),
        channel,
        next === undefined ? null : `released ${next.runId}`,
      ],
    )
  }

  /** Repeats a transaction until it is committed. */
  function update<T>(
    decide: (state: ShareState & { readonly isTaken: boolean }) => ShareUpdate<T>,
    isCancelled: () => boolean,
  ): Promise<T> {
    let attempted: { readonly changes: number; readonly value: T } | undefined
    return store.retry(
      () =>
        store.transaction(async (client) => {
          const locked = await lock(client, '=')
          if (locked === undefined)
            throw troupeError(
              'store_lease_lost',
              `Another worker has taken over the run ${runId}, or it was deleted.`,
            )
          // The answer to the commit was lost, but not the commit.
          if (attempted !== undefined && locked.changes !== attempted.changes) return attempted.value
          const waiting = await readWaiting(client, { schema, rootRunId })
          const update = decide({ ...locked, isTaken: isTaken(waiting, { runId, budgetIds: idsOf(locked) }) })
          attempted = { changes: locked.changes, value: update.value }
          const isWaiting = waiting.some((each) => each.runId === runId)
          if (isWaiting || update.change !== undefined || Array.isArray(update.waitsFor))
            await write(client, { locked, waiting }, update)
          return update.value
        }),
      isCancelled,
    )
  }

  return {
    async insert({ caps, used, budgetIds, usedBelow }, isCancelled) {
      const rows = await store.retry(
        () =>
          store.query(
            `WITH share AS (
               INSERT INTO ${schema}.budget_shares
                 (run_id, root_run_id, start, caps, budget_ids, used_tokens, used_micros)
               SELECT $1, $2, $3, $4, $5, $6, $7 FROM ${schema}.tasks WHERE run_id = $1 AND starts = $3
               ON CONFLICT DO NOTHING RETURNING run_id
             ), balances AS (
               INSERT INTO ${schema}.budgets (root_run_id, run_id, used_tokens, used_micros)
               SELECT $2, id, $9, $10 FROM share, unnest($8::text[]) AS id ON CONFLICT DO NOTHING
             ) SELECT run_id FROM share`,
            [
              runId,
              rootRunId,
              start,
              JSON.stringify(caps),
              caps.map(({ budgetId }) => budgetId),
              used.tokens,
              used.micros,
              budgetIds,
              usedBelow.tokens,
              usedBelow.micros,
            ],
          ),
        isCancelled,
      )
      return rows.length > 0
    },
    takeOver: (spent, isCancelled) =>
      store.retry(
        () =>
          store.transaction(async (client) => {
            const locked = await lock(client, '<=')
            if (locked === undefined) return
            const { used, reserved, aside } = locked.share
            const change = {
              used: {
                tokens: Math.max(0, spent.tokens - used.tokens),
                micros: Math.max(0, spent.micros - used.micros),
              },
              reserved: { tokens: -reserved.tokens, micros: -reserved.micros },
              aside: { tokens: -aside.tokens, micros: -aside.micros },
            }
            const waiting = await readWaiting(client, { schema, rootRunId })
            await write(
              client,
              { locked, waiting },
              { value: undefined, change, waitsFor: null, releases: true },
            )
          }),
        isCancelled,
      ),
    update,
  }
}

const NOTHING: Spend = { tokens: 0, micros: 0 }
const NO_CHANGE: BalanceChange = { used: NOTHING, reserved: NOTHING, aside: NOTHING }

function toLockedShare(rows: readonly LockedRow[]): LockedShare | undefined {
  const [first] = rows
  if (first === undefined) return undefined
  const byId = new Map(rows.map((row) => [row.id, row]))
  const links = first.caps.map(({ budgetId: id, budget, names }): StoredLink => {
    const row = byId.get(id)
    if (row === undefined) throw troupeError('internal', `The budget of the run ${id} is missing.`)
    return {
      id,
      caps: capsOf(budget),
      limit: (key) => names[key] ?? key,
      ...toAmounts(AMOUNTS.map((name) => row[name])),
    }
  })
  const share = toAmounts(first.share.split(' '))
  return { chain: { links, own: share.aside }, share, changes: first.changes }
}

function idsOf({ chain }: ShareState): readonly string[] {
  return chain.links.map(({ id }) => id)
}

/** Converts the columns of {@link AMOUNTS}. */
function toAmounts(columns: readonly string[]): ShareState['share'] {
  const [usedTokens, usedMicros, reservedTokens, reservedMicros, asideTokens, asideMicros] =
    columns.map(Number)
  return {
    used: toSpend(usedTokens, usedMicros),
    reserved: toSpend(reservedTokens, reservedMicros),
    aside: toSpend(asideTokens, asideMicros),
  }
}

function toSpend(tokens = 0, micros = 0): Spend {
  return { tokens, micros }
}
