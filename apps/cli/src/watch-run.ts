import {
  isJsonObject,
  type Attachment,
  type Budget,
  type JsonObject,
  type OutputContract,
  type RunEvent,
  type RunReport,
} from '@troupe/schema'
import type { Host } from '@troupe/host'
import {
  emptyAccounts,
  emptyTimeline,
  reduceAccounts,
  reduceTimeline,
  type Accounts,
  type Timeline,
} from '@troupe/timeline'
import type { CommandContext } from './context.ts'
import { personAtTerminal } from './person-at-terminal.ts'
import { createEventsReporter } from './reporter/events.ts'
import { createPlainReporter } from './reporter/plain.ts'
import { createRecordReporter } from './reporter/records.ts'
import { SILENT, type Reporter } from './reporter/reporter.ts'
import type { LogFormat } from './syntax/launch.ts'

/** What decides how a run is shown. */
export interface WatchOptions {
  readonly events?: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly logFormat?: LogFormat
  readonly yes?: boolean
}

/** A run that has ended, and what was seen of it. */
export interface WatchedRun {
  readonly report: RunReport
  readonly accounts: Accounts
  /** Every run and call, where the options ask for their history. */
  readonly timeline: Timeline | undefined
  /** Warnings that the reporter had no line for, each text once. */
  readonly warnings: readonly string[]
  /** It was drawn over lines of the terminal. */
  readonly drawn: boolean
}

/** What is asked of the entry agent. */
export interface WatchedRequest {
  readonly message: string
  /** In ms. */
  readonly timeout: number | undefined
  readonly budget: Budget
  /** The form of the answer where it is not left to the card. */
  readonly output: OutputContract | undefined
  readonly attachments: readonly Attachment[]
}

/** Runs the entry agent and shows it as the options and the terminal ask for. */
export async function watchRun(
  host: Host,
  { message, timeout, budget, output, attachments }: WatchedRequest,
  options: WatchOptions,
  context: CommandContext,
): Promise<WatchedRun> {
  const kind = chooseReporter(options, context)
  const reporter = await openReporter(kind, options, context)
  const forget = context.atExit(() => reporter.end())
  const warnings = new Set<string>()
  let accounts = emptyAccounts()
  let timeline = options.verbose === true ? emptyTimeline() : undefined
  const onEvent = (event: RunEvent): void => {
    accounts = reduceAccounts(accounts, event)
    if (timeline !== undefined) timeline = reduceTimeline(timeline, event)
    // what a stop leaves behind is no news to the one who asked for it
    if (event.type === 'warning' && !context.stop.signal.aborted)
      warnings.add(`${event.instance}: ${event.message}`)
    if (!context.stop.silent) reporter.onEvent(event)
  }
  try {
    const report = await host.run(undefined, toInput(host, message), {
      onEvent,
      signal: context.stop.signal,
      ...personAtTerminal(context.terminal, { yes: options.yes, reporter }),
      budget,
      ...(attachments.length === 0 ? {} : { attachments }),
      ...(timeout === undefined ? {} : { timeout }),
      ...(output === undefined ? {} : { output }),
    })
    const untold = kind === 'panel' || kind === 'silent' ? [...warnings] : []
    return { report, accounts, timeline, warnings: untold, drawn: kind === 'panel' }
  } finally {
    if (!context.stop.silent) reporter.end()
    forget()
  }
}

/** An agent that takes JSON gets the object that the message is, so that it is checked against its schema. */
function toInput(host: Host, message: string): string | JsonObject {
  if (host.definition(undefined).input.format !== 'json') return message
  try {
    const value: unknown = JSON.parse(message)
    return isJsonObject(value) ? value : message
  } catch {
    // plain text: the agent gets it as it is
    return message
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
  const { createPanel } = await import('./reporter/panel.ts')
  return createPanel(stderr, { clock, style, notes })
}
