import { troupeError, type RunEvent } from '@troupe/schema'
import { eventLine } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { readableEvents } from '../run-store/readable-events.ts'
import type { StoreOptions } from '../run-store/store-file.ts'
import { printDamage } from '../reporter/failure.ts'
import { withRun } from '../run-store/with-run.ts'
import type { Output } from '../terminal/terminal.ts'

/** The options of `troupe runs events` and `tail`. */
export interface RunsEventsOptions extends StoreOptions {
  readonly json?: boolean
  readonly after?: string
}

/**
 * Runs `troupe runs events RUN`: prints all stored events. If the run is damaged, prints the events before
 * the damage and the error.
 */
export function runsEventsCommand(
  given: string,
  options: RunsEventsOptions,
  context: CommandContext,
): Promise<number> {
  const after = parseSeq(options.after)
  return withRun(given, { options, context }, async ({ rootRunId }, store) => {
    const { events, damage } = await readableEvents(store, rootRunId, { after })
    printEvents(events, options, context.terminal.stdout)
    return printDamage(damage, context)
  })
}

/** Prints one numbered line per notable event, or one line of JSON per event with `json`. */
export function printEvents(
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

function parseSeq(given = '0'): number {
  const seq = Number(given)
  if (Number.isInteger(seq) && seq >= 0) return seq
  throw troupeError('usage_invalid', `--after ${given}: this is not the number of an event.`)
}
