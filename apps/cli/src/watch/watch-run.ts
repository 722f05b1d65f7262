import type { RunEvent, RunOptions, RunReport } from '@troupe/schema'
import {
  emptyAccounts,
  emptyTimeline,
  reduceAccounts,
  reduceTimeline,
  type Accounts,
  type Timeline,
} from '@troupe/timeline'
import type { CommandContext } from '../context.ts'
import { personAtTerminal } from '../person/person-at-terminal.ts'
import type { PromptLine } from '../person/prompt-line.ts'
import { createEventsReporter } from '../reporter/events.ts'
import { createPlainReporter } from '../reporter/plain.ts'
import { createRecordReporter } from '../reporter/records.ts'
import { SILENT, type Reporter } from '../reporter/reporter.ts'
import type { LogFormat } from '../syntax/launch.ts'

/** What decides how a run is shown. */
export interface WatchOptions {
  readonly events?: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly logFormat?: LogFormat
  readonly yes?: boolean
  /** What asks and has nobody to ask leaves the run waiting. */
  readonly wait?: boolean
}

/** Where a run is shown and asks. */
export interface Surface {
  /** None: as the options and the terminal say. */
  readonly reporter?: Reporter
  readonly readLine: PromptLine
}

/** A run that has ended, and what was seen of it. */
export interface WatchedRun {
  readonly report: RunReport
  readonly accounts: Accounts
  /** Every run and call, where the options ask for their history. */
  readonly timeline: Timeline | undefined
  /** Warnings that the reporter had no line for, each text once, without those that are problems of the report. */
  readonly warnings: readonly string[]
  /** The reporter had a line or a record for every event, so for every problem. */
  readonly hasLines: boolean
  /** It was drawn over lines of the terminal. */
  readonly drawn: boolean
}

/** What a run that is watched gets of its options: who listens, who stops it, who is asked. */
export type WatchedOptions = Pick<RunOptions, 'onEvent' | 'signal' | 'approve' | 'ask' | 'wait' | 'resumable'>

/** Starts a run and shows it as the options and the terminal ask for. */
export async function watchRun(
  start: (options: WatchedOptions) => Promise<RunReport>,
  options: WatchOptions,
  context: CommandContext,
  surface?: Surface,
): Promise<WatchedRun> {
  const kind = surface?.reporter === undefined ? chooseReporter(options, context) : 'panel'
  const reporter = surface?.reporter ?? (await openReporter(kind, options, context))
  const forget = context.atExit(() => reporter.end())
  const warnings = new Set<string>()
  let accounts = emptyAccounts()
  let timeline = options.verbose === true ? emptyTimeline() : undefined
  const onEvent = (event: RunEvent): void => {
    accounts = reduceAccounts(accounts, event)
    if (timeline !== undefined) timeline = reduceTimeline(timeline, event)
    // what a stop leaves behind is no news to the one who asked for it
    if (event.type === 'warning' && event.weakens !== true && !context.stop.signal.aborted)
      warnings.add(`${event.instance}: ${event.message}`)
    if (!context.stop.silent) reporter.onEvent(event)
  }
  try {
    const report = await start({
      onEvent,
      signal: context.stop.signal,
      resumable: true,
      ...(options.wait === true ? { wait: true } : {}),
      ...personAtTerminal(context.terminal, { yes: options.yes, reporter, readLine: surface?.readLine }),
    })
    const hasLines = kind !== 'panel' && kind !== 'silent'
    const untold = hasLines ? [] : [...warnings]
    return { report, accounts, timeline, warnings: untold, hasLines, drawn: kind === 'panel' }
  } finally {
    if (!context.stop.silent) reporter.end()
    forget()
  }
}

type ReporterKind = 'events' | 'silent' | 'records' | 'panel' | 'plain'

function chooseReporter(options: WatchOptions, { terminal }: CommandContext): ReporterKind {
  if (options.events === true) return 'events'
  if (options.quiet === true) return 'silent'
  if (options.logFormat === 'json') return 'records'
  if (options.verbose === true || options.logFormat === 'text') return 'plain'
  if (options.json === true) return 'silent'
  return terminal.animated ? 'panel' : 'plain'
}

async function openReporter(
  kind: ReporterKind,
  { verbose = false }: WatchOptions,
  { terminal, clock }: CommandContext,
): Promise<Reporter> {
  const { stdout, stderr, style, notes } = terminal
  if (kind === 'silent') return SILENT
  if (kind === 'events') return createEventsReporter(stdout)
  if (kind === 'records') return createRecordReporter(stderr, { verbose, notes, now: () => clock.now() })
  if (kind === 'plain') return createPlainReporter(stderr, { verbose })
  const { createPanel } = await import('../reporter/panel.ts')
  return createPanel(stderr, { clock, style, notes })
}
