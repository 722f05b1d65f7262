import { troupeError } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { runTable } from '../reporter/run-table.ts'
import { summarise, type RunSummary } from '../stored/run-summary.ts'
import type { StoreOptions } from '../stored/store-file.ts'
import { withRuns } from '../stored/with-run.ts'

/** The options of `troupe runs list`. */
export interface RunsListOptions extends StoreOptions {
  readonly limit?: string
  readonly agent?: string
  readonly session?: string
  readonly state?: string
  readonly json?: boolean
}

/** `troupe runs list`: the last runs, the latest first. */
export function runsListCommand(options: RunsListOptions, context: CommandContext): Promise<number> {
  const limit = parseLimit(options.limit ?? '20')
  const { stdout, outStyle } = context.terminal
  const columns = stdout.isTTY === true ? stdout.columns : undefined
  return withRuns(options, context, async (store) => {
    const runs: RunSummary[] = []
    for (const root of (await store.roots()).toReversed()) {
      const run = await summarise(store, root)
      if (run !== undefined && isWanted(run, options)) runs.push(run)
      if (runs.length === limit) break
    }
    if (options.json === true) stdout.write(`${JSON.stringify(runs, null, 2)}\n`)
    else for (const line of runTable(runs, { style: outStyle, columns })) stdout.write(`${line}\n`)
    return EXIT.completed
  })
}

function isWanted(run: RunSummary, { agent, session, state }: RunsListOptions): boolean {
  return (
    (agent === undefined || run.agent === agent) &&
    (session === undefined || run.sessionId === session) &&
    (state === undefined || run.state === state)
  )
}

function parseLimit(given: string): number {
  const limit = Number(given)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw troupeError('usage_invalid', `--limit ${given}: this is not a whole number above 0.`)
}
