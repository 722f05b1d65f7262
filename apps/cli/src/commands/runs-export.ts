import type { Json, RunEvent, RunRequest, RunStore } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import type { StoreOptions } from '../stored/store-file.ts'
import { withRun } from '../stored/with-run.ts'

/** The form of an export; it grows when the lines change. */
const VERSION = 1

/** `troupe runs export RUN`: a head, every event, and the steps a resume starts from, each a line of JSON; with `--cassette` a recording that `--replay` plays. Secrets stand in it by name. */
export function runsExportCommand(
  given: string,
  options: StoreOptions & { readonly cassette?: boolean },
  context: CommandContext,
): Promise<number> {
  return withRun(given, { options, context }, async ({ rootRunId, detail }, store) => {
    const write = (line: unknown): void => void context.terminal.stdout.write(`${JSON.stringify(line)}\n`)
    const events = await store.events(rootRunId)
    if (options.cassette === true) {
      context.terminal.stdout.write(await cassetteOf(events, store))
      return EXIT.completed
    }
    write({ troupeRun: VERSION, rootRunId, detail, events: events.length })
    for (const event of events) write({ event })
    for (const runId of new Set(events.map((event) => event.runId)))
      for (const [key, value] of await store.steps(rootRunId, runId)) write({ step: { runId, key, value } })
    return EXIT.completed
  })
}

/** A stored run as `--record` writes runs, but for what was asked of models, which no store keeps. */
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

/** What a run of a conversation started from, its secrets by name. */
async function historyOf(store: RunStore, request: RunRequest): Promise<RunRequest['history']> {
  const { storedHistory } = await import('@troupe/host')
  return storedHistory(store, request, undefined)
}
