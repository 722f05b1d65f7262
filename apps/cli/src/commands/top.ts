import type { WorkerOverview } from '@troupe/executor-dbos'
import { formatDuration, plainText } from '@troupe/timeline'
import { tableLines, type Column } from '../reporter/table.ts'
import { openExistingStore, type StoreOptions } from '../run-store/open-store.ts'
import { loadExecutor, workerDatabase } from '../run-store/open-workers.ts'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'

export interface TopOptions extends StoreOptions {
  readonly watch?: boolean
  readonly json?: boolean
}

const REFRESH_MS = 2000

/** Runs `troupe top`: prints the queues, the workers and the runs in progress. */
export async function topCommand(options: TopOptions, context: CommandContext): Promise<number> {
  const { terminal, clock, stop } = context
  const store = await openExistingStore(options, context)
  try {
    const { readWorkerOverview } = await loadExecutor()
    const database = await workerDatabase(options, store, context)
    for (;;) {
      const overview = await readWorkerOverview(database.store)
      const text = options.json === true ? JSON.stringify(overview) : overviewLines(overview).join('\n')
      terminal.stdout.write(`${text}\n`)
      if (options.watch !== true || stop.signal.aborted) return stop.exitCode ?? EXIT.completed
      await new Promise<void>((resolve) => {
        const cancel = clock.after(REFRESH_MS, resolve)
        const leave = (): void => {
          cancel()
          resolve()
        }
        stop.signal.addEventListener('abort', leave, { once: true })
      })
      if (stop.signal.aborted) return stop.exitCode ?? EXIT.completed
      if (options.json !== true) terminal.stdout.write('\n')
    }
  } finally {
    await store.close()
  }
}

const QUEUE_COLUMNS: readonly Column[] = [
  { title: 'LEVEL', align: 'right' },
  { title: 'QUEUED', align: 'right' },
  { title: 'RUNNING', align: 'right' },
  { title: 'WAITING', align: 'right' },
  { title: 'OLDEST', align: 'right' },
]
const WORKER_COLUMNS: readonly Column[] = [
  { title: 'WORKER' },
  { title: 'RUNNING', align: 'right' },
  { title: 'SLOTS', align: 'right' },
  { title: 'UP', align: 'right' },
  { title: 'SEEN', align: 'right' },
]
const RUN_COLUMNS: readonly Column[] = [
  { title: 'RUN' },
  { title: 'AGENT' },
  { title: 'STATE' },
  { title: 'RUNS', align: 'right' },
  { title: 'AGE', align: 'right' },
]

function overviewLines({ queues, workers, runs }: WorkerOverview): readonly string[] {
  return [
    ...section(
      'Queues',
      QUEUE_COLUMNS,
      queues.map(({ depth, queued, running, waiting, oldestMs }) => [
        String(depth),
        String(queued),
        String(running),
        String(waiting),
        oldestMs === undefined ? '-' : formatDuration(oldestMs),
      ]),
    ),
    '',
    ...section(
      'Workers',
      WORKER_COLUMNS,
      workers.map(({ id, running, slots, upMs, seenMs }) => [
        plainText(id),
        String(running),
        String(slots),
        formatDuration(upMs),
        `${formatDuration(seenMs)} ago`,
      ]),
    ),
    '',
    ...section(
      'Runs',
      RUN_COLUMNS,
      runs.map(({ runId, agent, state, openRuns, ageMs }) => [
        plainText(runId),
        plainText(agent),
        state,
        String(openRuns),
        formatDuration(ageMs),
      ]),
    ),
  ]
}

function section(
  title: string,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  return rows.length === 0 ? [`${title}: none`] : [`${title}:`, ...tableLines(columns, rows)]
}
