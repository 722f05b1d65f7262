import type { RunEvent } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { withRun } from '../run-store/with-run.ts'
import { printEvents, type RunsEventsOptions } from './runs-events.ts'

/** Poll interval of the store in ms. */
const POLL_MS = 200

/**
 * Runs `troupe runs tail RUN`: prints events as they are stored by any process, until the run has ended or
 * its process has stopped.
 */
export function runsTailCommand(
  given: string,
  options: RunsEventsOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal, stop } = context
  return withRun(given, { options, context }, async ({ rootRunId }, store) => {
    let after = 0
    for (;;) {
      // Check this before reading events, so that events written before the run was closed are included.
      const isOpen = (await store.roots()).some((root) => root.rootRunId === rootRunId && root.open)
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
