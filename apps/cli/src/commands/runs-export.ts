import type { Json, RunEvent } from '@troupe/schema'
import type { RunRequest, RunStore } from '@troupe/schema/ports'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { type StoreOptions, withRun } from '../run-store/open-store.ts'

/** Version of the export format. Increase it when the lines change. */
const VERSION = 1

/**
 * Runs `troupe runs export RUN`: prints a header, all events and the steps needed to resume, as JSON lines;
 * with `--cassette` a recording for `--replay`, or with `--html` a page. Secrets are replaced by their names.
 */
export function runsExportCommand(
  run: string,
  options: StoreOptions & { readonly cassette?: boolean; readonly html?: boolean },
  context: CommandContext,
): Promise<number> {
  return withRun(run, { options, context }, async ({ rootRunId, detail }, store) => {
    const write = (line: unknown): void => void context.terminal.stdout.write(`${JSON.stringify(line)}\n`)
    const events = await store.events(rootRunId)
    if (options.cassette === true) {
      context.terminal.stdout.write(await cassetteOf(events, store))
      return EXIT.completed
    }
    if (options.html === true) {
      const { formatRunHtml } = await import('@troupe/timeline/html')
      context.terminal.stdout.write(formatRunHtml(events))
      return EXIT.completed
    }
    write({ troupeRun: VERSION, rootRunId, detail, events: events.length })
    for (const event of events) write({ event })
    for (const runId of new Set(events.map((event) => event.runId)))
      for (const [key, value] of await store.steps(rootRunId, runId)) write({ step: { runId, key, value } })
    return EXIT.completed
  })
}

/** Returns a stored run in the format of `--record`, without model requests, which are not stored. */
async function cassetteOf(events: readonly RunEvent[], store: RunStore): Promise<string> {
  const { toCassette, writeCassette } = await import('@troupe/cassette')
  const rootRunId = events[0]?.rootRunId ?? ''
  const steps = new Map<string, ReadonlyMap<string, Json>>()
  for (const { runId } of events) if (!steps.has(runId)) steps.set(runId, await store.steps(rootRunId, runId))
  const begin = steps.get(rootRunId)?.get('begin') as unknown as RunRequest | undefined
  const history = begin?.continues === undefined ? undefined : await historyOf(store, begin)
  return writeCassette(
    toCassette({
      events,
      steps: (runId) => steps.get(runId) ?? new Map(),
      ...(history === undefined ? {} : { history }),
    }),
  )
}

/** Returns the history that the run started from, with secrets replaced by their names. */
async function historyOf(store: RunStore, request: RunRequest): Promise<RunRequest['history']> {
  const { storedHistory } = await import('@troupe/host')
  return storedHistory(store, request, undefined)
}
