import { isJsonObject, type Budget, type JsonObject, type RunEvent, type RunReport } from '@troupe/schema'
import type { Host } from '@troupe/host'
import { emptyAccounts, reduceAccounts, type Accounts } from '@troupe/timeline'
import type { CommandContext } from './context.ts'
import { personAtTerminal } from './person-at-terminal.ts'
import { createEventsReporter } from './reporter/events.ts'
import { createPlainReporter } from './reporter/plain.ts'
import { SILENT, type Reporter } from './reporter/reporter.ts'

/** What decides how a run is shown. */
export interface WatchOptions {
  readonly events?: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly yes?: boolean
}

/** A run that has ended, and what was seen of it. */
export interface WatchedRun {
  readonly report: RunReport
  readonly accounts: Accounts
  /** Warnings that the reporter had no line for, each text once. */
  readonly warnings: readonly string[]
  /** It was drawn over lines of the terminal. */
  readonly drawn: boolean
}

/** Runs the entry agent and shows it as the options and the terminal ask for. */
export async function watchRun(
  host: Host,
  {
    message,
    timeout,
    budget,
  }: { readonly message: string; readonly timeout: number | undefined; readonly budget: Budget },
  options: WatchOptions,
  context: CommandContext,
): Promise<WatchedRun> {
  const kind = chooseReporter(options, context)
  const reporter = await openReporter(kind, context)
  const forget = context.atExit(() => reporter.end())
  const warnings = new Set<string>()
  let accounts = emptyAccounts()
  const onEvent = (event: RunEvent): void => {
    accounts = reduceAccounts(accounts, event)
    if (event.type === 'warning') warnings.add(`${event.instance}: ${event.message}`)
    if (!context.stop.silent) reporter.onEvent(event)
  }
  try {
    const report = await host.run(undefined, toInput(host, message), {
      onEvent,
      signal: context.stop.signal,
      ...personAtTerminal(context.terminal, { yes: options.yes, reporter }),
      budget,
      ...(timeout === undefined ? {} : { timeout }),
    })
    const untold = kind === 'panel' || kind === 'silent' ? [...warnings] : []
    return { report, accounts, warnings: untold, drawn: kind === 'panel' }
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

type ReporterKind = 'events' | 'silent' | 'panel' | 'plain' | 'verbose'

function chooseReporter(options: WatchOptions, { terminal }: CommandContext): ReporterKind {
  if (options.events === true) return 'events'
  if (options.quiet === true) return 'silent'
  if (options.verbose === true) return 'verbose'
  if (options.json === true) return 'silent'
  return terminal.animated ? 'panel' : 'plain'
}

async function openReporter(kind: ReporterKind, { terminal, clock }: CommandContext): Promise<Reporter> {
  const { stdout, stderr, style, notes } = terminal
  if (kind === 'silent') return SILENT
  if (kind === 'events') return createEventsReporter(stdout)
  if (kind !== 'panel') return createPlainReporter(stderr, { verbose: kind === 'verbose' })
  const { createPanel } = await import('./reporter/panel.ts')
  return createPanel(stderr, { clock, style, notes })
}
