import { troupeError } from '@troupe/schema'
import { formatCost, formatDuration, plainText } from '@troupe/timeline'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { stateText } from '../reporter/run-state.ts'
import { fitTable, tableLines, type Column } from '../reporter/table.ts'
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

const COLUMNS: readonly Column[] = [
  { title: 'run' },
  { title: 'agent' },
  { title: 'outcome' },
  { title: 'started', leaves: 3 },
  { title: 'took', align: 'right', leaves: 4 },
  { title: 'cost', align: 'right', leaves: 2 },
  { title: 'message', leaves: 1 },
]
const MESSAGE = 40

/** `troupe runs list`: the last runs, the latest first. */
export function runsListCommand(options: RunsListOptions, context: CommandContext): Promise<number> {
  const limit = parseLimit(options.limit ?? '20')
  const { stdout, outStyle } = context.terminal
  return withRuns(options, context, async (store) => {
    const runs: RunSummary[] = []
    for (const root of (await store.roots()).toReversed()) {
      const run = await summarise(store, root)
      if (run !== undefined && isWanted(run, options)) runs.push(run)
      if (runs.length === limit) break
    }
    if (options.json === true) stdout.write(`${JSON.stringify(runs, null, 2)}\n`)
    else for (const line of toLines(runs, context)) stdout.write(`${line}\n`)
    if (runs.length === 0 && options.json !== true) stdout.write(`${outStyle.dim('no runs')}\n`)
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

function toLines(runs: readonly RunSummary[], { terminal }: CommandContext): readonly string[] {
  if (runs.length === 0) return []
  const { stdout, outStyle } = terminal
  const rows = runs.map((run) => [
    run.runId,
    plainText(run.agent),
    stateText(run.state, outStyle),
    new Date(run.startedAt).toISOString().slice(0, 19).replace('T', ' '),
    run.durationMs === undefined ? '–' : formatDuration(run.durationMs),
    run.cost === undefined ? '–' : formatCost(run.cost),
    plainText(run.input, { max: MESSAGE }),
  ])
  const width = stdout.isTTY === true ? stdout.columns : undefined
  const table = fitTable({ columns: COLUMNS, rows }, width)
  const [head = '', ...lines] = tableLines(table.columns, table.rows)
  return [outStyle.dim(head), ...lines]
}

function parseLimit(given: string): number {
  const limit = Number(given)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw troupeError('usage_invalid', `--limit ${given}: this is not a whole number above 0.`)
}
