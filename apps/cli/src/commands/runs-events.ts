import { troupeError, type RunEvent } from '@troupe/schema'
import { eventLine } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { readableEvents } from '../run-store/run-summary.ts'
import { type StoreOptions, withRun } from '../run-store/open-store.ts'
import { printDamage } from '../reporter/end.ts'
import type { Output } from '../terminal/terminal.ts'
import { EXIT } from '../terminal/exit-code.ts'

/** The options of `troupe runs events` and `tail`. */
interface RunsEventsOptions extends StoreOptions {
  readonly json?: boolean
  readonly after?: string
}

/**
 * Runs `troupe runs events RUN`: prints all stored events. If the run is damaged, prints the events before
 * the damage and the error.
 */
export function runsEventsCommand(
  run: string,
  options: RunsEventsOptions,
  context: CommandContext,
): Promise<number> {
  const after = parseSeq(options.after)
  return withRun(run, { options, context }, async ({ rootRunId }, store) => {
    const { events, damage } = await readableEvents(store, rootRunId, { after })
    printEvents(events, options, context.terminal.stdout)
    return printDamage(damage, context)
  })
}

/** Prints one numbered line per notable event, or one line of JSON per event with `json`. */
function printEvents(
  events: readonly RunEvent[],
  { json }: Pick<RunsEventsOptions, 'json'>,
  stdout: Output,
): void {
  for (const event of events) {
    const line = json === true ? JSON.stringify(event) : numberedLine(event)
    if (line !== undefined) stdout.write(`${line}\n`)
  }
}

/** Returns the line of an event with its sequence number, which `--after` takes. */
function numberedLine(event: RunEvent): string | undefined {
  const line = eventLine(event)
  return line === undefined ? undefined : `${String(event.seq).padStart(SEQ_WIDTH)} ${line}`
}

const SEQ_WIDTH = 5

function parseSeq(value = '0'): number {
  const seq = Number(value)
  if (Number.isInteger(seq) && seq >= 0) return seq
  throw troupeError('usage_invalid', `--after: "${value}" is not the number of an event.`)
}

/** Poll interval of the store in ms. */
const POLL_MS = 200

/**
 * Runs `troupe runs tail RUN`: prints events as they are stored by any process, until the run has ended or
 * its process has stopped.
 */
export function runsTailCommand(
  run: string,
  options: RunsEventsOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal, stop } = context
  return withRun(run, { options, context }, async ({ rootRunId, session }, store) => {
    // a run of a session is found without reading all others
    const filter = session === undefined ? undefined : { principal: session.principal, rootRunId }
    let after = 0
    for (;;) {
      // Check this before reading events, so that events written before the run was closed are included.
      const isOpen = (await store.roots(filter)).some((root) => root.rootRunId === rootRunId && root.open)
      const events = await store.events(rootRunId, { after })
      printEvents(events, options, terminal.stdout)
      after = events.at(-1)?.seq ?? after
      if (!isOpen || hasEnded(events, rootRunId)) return EXIT.completed
      await pause(context)
      if (stop.exitCode !== undefined) return stop.exitCode
    }
  })
}

function hasEnded(events: readonly RunEvent[], rootRunId: string): boolean {
  return events.some((event) => event.type === 'run-end' && event.runId === rootRunId)
}

function pause({ clock, stop }: CommandContext): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      cancel()
      stop.signal.removeEventListener('abort', finish)
      resolve()
    }
    const cancel = clock.after(POLL_MS, finish)
    if (stop.signal.aborted) finish()
    else stop.signal.addEventListener('abort', finish)
  })
}
