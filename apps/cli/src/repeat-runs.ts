import type { Host, WatchedReload } from '@troupe/host'
import type { CommandContext } from './context.ts'
import { problemLines } from './reporter/problems.ts'
import { programRecord, writeRecord } from './reporter/records.ts'
import { reloadLine } from './reporter/reload-line.ts'
import type { LogFormat } from './syntax/launch.ts'
import { waitForStop } from './wait-for-stop.ts'

interface TellOptions {
  readonly quiet?: boolean
  readonly logFormat?: LogFormat
}

/**
 * Runs once, and again after every edit that was taken, until the program is stopped. A run in flight ends first; several edits meanwhile
 * are one. Resolves with the exit code of the stop, else of the last run.
 */
export async function repeatRuns(
  host: Host,
  { once, options }: { once(): Promise<number>; readonly options: TellOptions },
  context: CommandContext,
): Promise<number> {
  const { stop } = context
  let edited = Promise.withResolvers<void>()
  const watch = await host.watch({
    onReload: (reload) => {
      tellReload(reload, options, context)
      if (reload.outcome === 'taken') edited.resolve()
    },
  })
  const stopped = waitForStop(stop)
  try {
    for (;;) {
      edited = Promise.withResolvers<void>()
      const code = await once()
      if (stop.signal.aborted) return stop.exitCode ?? code
      if (options.quiet !== true) tell('Watching for changes; Ctrl-C ends.', options, context)
      await Promise.race([edited.promise, stopped])
      if (stop.signal.aborted) return stop.exitCode ?? code
    }
  } finally {
    await watch.close()
  }
}

/** An edit that is kept out is told even to who wants quiet: the next answer is not that of the files. */
function tellReload(reload: WatchedReload, options: TellOptions, context: CommandContext): void {
  const { outcome, problems } = reload
  if (options.quiet === true && outcome !== 'kept') return
  tell(reloadLine(reload, context.cwd), options, context)
  if (outcome !== 'kept') return
  const errors = problems.filter(({ severity }) => severity === 'error')
  const format = { cwd: context.cwd, style: context.terminal.style }
  for (const line of problemLines(errors, format)) tell(line, options, context)
}

/** Above what is drawn. */
function tell(text: string, { logFormat }: TellOptions, { terminal, clock }: CommandContext): void {
  if (logFormat === 'json')
    writeRecord(
      terminal.stderr,
      programRecord('print', { message: text }, () => clock.now()),
    )
  else terminal.notes.stream.write(`${text}\n`)
}
