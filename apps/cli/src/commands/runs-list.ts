import { troupeError } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { runTable } from '../reporter/run-table.ts'
import { RUN_STATES, summarise, type StoredRunSummary } from '../run-store/run-summary.ts'
import { storeExists, storeLocation, type StoreOptions, withRuns } from '../run-store/open-store.ts'

export interface RunsListOptions extends StoreOptions {
  readonly limit?: string
  readonly agent?: string
  readonly session?: string
  readonly state?: string
  readonly json?: boolean
}

/** Runs `troupe runs list`: prints the latest runs, newest first. */
export async function runsListCommand(options: RunsListOptions, context: CommandContext): Promise<number> {
  const limit = parseLimit(options.limit ?? '20')
  requireKnownState(options.state)
  const { stdout, outStyle } = context.terminal
  const columns = stdout.isTTY === true ? stdout.columns : undefined
  const list = async (store?: RunStore): Promise<number> => {
    const runs = store === undefined ? [] : await matchingRuns(store, options, limit)
    if (options.json === true) stdout.write(`${JSON.stringify(runs, null, 2)}\n`)
    else for (const line of runTable(runs, { style: outStyle, columns })) stdout.write(`${line}\n`)
    return EXIT.completed
  }
  return (await hasStore(options, context)) ? withRuns(options, context, list) : list()
}

/**
 * Returns false if the default store file does not exist yet. A store that is named is always opened, so that
 * a missing file is an error.
 */
async function hasStore(options: RunsListOptions, context: CommandContext): Promise<boolean> {
  const location = await storeLocation(options, context)
  return location !== undefined && (location.isNamed || storeExists(location))
}

/** Number of root runs read from the store at a time. */
const PAGE = 100

/** Returns the runs that match the options, latest started first. */
async function matchingRuns(
  store: RunStore,
  options: RunsListOptions,
  limit: number,
): Promise<readonly StoredRunSummary[]> {
  const runs: StoredRunSummary[] = []
  const agent = options.agent === undefined ? {} : { agent: options.agent }
  for (let before: string | undefined; ;) {
    const roots = await store.list({ ...agent, limit: PAGE, ...(before === undefined ? {} : { before }) })
    for (const root of roots) {
      const run = await summarise(store, root)
      if (run !== undefined && matchesOptions(run, options)) runs.push(run)
      if (runs.length === limit) return runs
    }
    if (roots.length < PAGE) return runs
    before = roots.at(-1)?.rootRunId
  }
}

function matchesOptions(run: StoredRunSummary, { agent, session, state }: RunsListOptions): boolean {
  return (
    (agent === undefined || run.agent === agent) &&
    (session === undefined || run.sessionId === session) &&
    (state === undefined || run.state === state)
  )
}

function requireKnownState(state: string | undefined): void {
  if (state === undefined || RUN_STATES.some((known) => known === state)) return
  throw troupeError('usage_invalid', `--state: "${state}" is not a state of a run.`, {
    fix: `Use one of ${RUN_STATES.join(', ')}.`,
  })
}

function parseLimit(value: string): number {
  const limit = Number(value)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw troupeError('usage_invalid', `--limit: "${value}" is not a whole number above 0.`)
}
