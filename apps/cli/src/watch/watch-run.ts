import type { Host } from '@troupe/host'
import type { RunEvent, RunOptions, RunReport } from '@troupe/schema'
import {
  emptyAccounts,
  emptyTimeline,
  reduceAccounts,
  reduceTimeline,
  type Accounts,
  type Timeline,
} from '@troupe/timeline'
import type { CommandContext, LogFormat } from '../terminal/context.ts'
import { terminalHumanInput } from '../human-input/terminal-human-input.ts'
import {
  createEventsReporter,
  createPlainReporter,
  SILENT,
  type PromptLine,
  type Reporter,
} from '../reporter/reporter.ts'
import { createRecordReporter } from '../reporter/records.ts'
import type { LiveReporter, RunPageLink } from '../reporter/live-reporter.ts'
import { openKeys } from '../terminal/typing.ts'

/** Options for showing a run. */
export interface RunDisplayOptions {
  readonly events?: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly logFormat?: LogFormat
  readonly yes?: boolean
  /** True if the run suspends at approvals that cannot be answered at the terminal. */
  readonly wait?: boolean
  /** True if the answer is text, so that it can be shown while it is written. */
  readonly streams?: boolean
  /** The page that a key opens. */
  readonly page?: RunPageLink | undefined
  /** True if the run is likely to fail before its first turn. Its start is then not printed before the next event. */
  readonly mayNotStart?: boolean
  /** Part of a resumed run that an earlier process stored. */
  readonly past?: RunBeforeResume
  /** Reads the file that a call writes, to show its changes with the approval. */
  readonly writeTarget?: Host['writeTarget']
}

/**
 * Part of a resumed run that an earlier process stored. Its events count for usage, but are not shown as lines.
 * Records for scripts contain them.
 */
export interface RunBeforeResume {
  /** Sequence number of the last event. */
  readonly lastSeq: number
  readonly problemCount: number
}

/** Reporter and prompt of a run. */
export interface Surface {
  /** Default: chosen by options and terminal. */
  readonly reporter?: Reporter
  readonly readLine: PromptLine
}

/** Finished run with its usage and warnings. */
export interface WatchedRun {
  readonly report: RunReport
  readonly accounts: Accounts
  /** All runs and calls; set with `verbose` only. */
  readonly timeline: Timeline | undefined
  /** Distinct warnings that the reporter did not print, without those that are problems of the report. */
  readonly warnings: readonly string[]
  /** Number of problems, from the first one of the report, that the reporter did not print. */
  readonly unprintedProblems: number
  /** True if the run was drawn on the terminal. */
  readonly drawn: boolean
  /** Prints the part of the answer that was not streamed; `undefined` if nothing was. */
  readonly finish?: (() => void) | undefined
}

/** Run options for events, cancellation and human input. */
export type WatchedOptions = Pick<RunOptions, 'onEvent' | 'signal' | 'approve' | 'ask' | 'wait' | 'resumable'>

/** Starts a run and shows it as the options and the terminal require. */
export async function watchRun(
  start: (options: WatchedOptions) => Promise<RunReport>,
  options: RunDisplayOptions,
  context: CommandContext,
  surface?: Surface,
): Promise<WatchedRun> {
  const kind = surface?.reporter === undefined ? chooseReporter(options, context) : 'panel'
  const reporter = surface?.reporter ?? (await openReporter(kind, options, context))
  const streams = options.streams === true && context.terminal.stdout.isTTY === true
  const forget = context.atExit(() => reporter.end())
  const { past } = options
  const warnings = new Set<string>()
  let accounts = emptyAccounts()
  let timeline = options.verbose === true ? emptyTimeline() : undefined
  const onEvent = (event: RunEvent): void => {
    accounts = reduceAccounts(accounts, event)
    if (timeline !== undefined) timeline = reduceTimeline(timeline, event)
    // Skip warnings that are caused by a stop of the program.
    if (event.type === 'warning' && event.weakens !== true && !context.stop.signal.aborted)
      warnings.add(`${event.instance}: ${event.message}`)
    if (context.stop.silent) return
    const isPast = event.seq !== undefined && event.seq <= (past?.lastSeq ?? 0)
    if (isPast && reporter.onPastEvent !== undefined) reporter.onPastEvent(event)
    else reporter.onEvent(event)
  }
  try {
    const report = await start({
      onEvent,
      signal: context.stop.signal,
      resumable: true,
      ...(options.wait === true ? { wait: true } : {}),
      ...terminalHumanInput(context.terminal, {
        yes: options.yes,
        reporter,
        readLine: surface?.readLine,
        writeTarget: options.writeTarget,
      }),
    })
    const isListed = kind !== 'panel' && kind !== 'silent'
    const unprinted = isListed ? [] : [...warnings]
    const unprintedPast = reporter.onPastEvent === undefined ? 0 : (past?.problemCount ?? 0)
    const unprintedProblems = isListed && options.quiet !== true ? unprintedPast : report.problemCount
    const finish = streams && isLive(reporter) ? () => reporter.finish(report) : undefined
    return {
      report,
      accounts,
      timeline,
      warnings: unprinted,
      unprintedProblems,
      drawn: kind === 'panel',
      finish,
    }
  } finally {
    if (!context.stop.silent) reporter.end()
    forget()
  }
}

function isLive(reporter: Reporter): reporter is LiveReporter {
  return 'finish' in reporter
}

type ReporterKind = 'events' | 'silent' | 'records' | 'panel' | 'plain'

function chooseReporter(options: RunDisplayOptions, { terminal }: CommandContext): ReporterKind {
  if (options.events === true) return 'events'
  if (options.quiet === true) return 'silent'
  if (options.logFormat === 'json') return 'records'
  if (options.verbose === true || options.logFormat === 'text') return 'plain'
  if (options.json === true) return 'silent'
  return terminal.animated ? 'panel' : 'plain'
}

async function openReporter(
  kind: ReporterKind,
  { verbose = false, streams = false, page, mayNotStart = false }: RunDisplayOptions,
  context: CommandContext,
): Promise<Reporter> {
  const { terminal, clock, watchForeground } = context
  const { stdout, stderr, notes } = terminal
  if (kind === 'silent') return SILENT
  if (kind === 'events') return createEventsReporter(stdout)
  if (kind === 'records') return createRecordReporter(stderr, { verbose, notes, now: () => clock.now() })
  if (kind === 'plain') return createPlainReporter(stderr, { verbose, mayNotStart })
  const { createLiveReporter } = await import('../reporter/live-reporter.ts')
  return createLiveReporter(terminal, {
    clock,
    streams,
    keepsRoot: true,
    keys: openKeys(context),
    watchForeground,
    page,
  })
}
