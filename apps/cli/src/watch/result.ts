import { plainText } from '@troupe/timeline'
import type { Host } from '@troupe/host'
import type { RunReport } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import type { CommandContext, LogFormat } from '../terminal/context.ts'
import type { Output, Terminal } from '../terminal/terminal.ts'
import { runnable } from '../terminal/runnable.ts'
import { wrapText } from '../terminal/wrap.ts'
import type { WatchedRun } from './watch-run.ts'
import { answerText, printAnswer, printEnd, printReport, runProblemLines } from '../reporter/end.ts'
import { failureRecord, writeRecord } from '../reporter/records.ts'
import { resumeHint, storeOption, waitingLines } from '../reporter/waiting.ts'
import { summarise } from '../run-store/run-summary.ts'
import type { StoreOptions } from '../run-store/open-store.ts'

interface ResultOptions {
  readonly json?: boolean
  readonly events?: boolean
  readonly quiet?: boolean
  readonly logFormat?: LogFormat
  /** True if problems determine the exit code, so that they are printed even with `quiet`. */
  readonly strict?: boolean
}

/**
 * Prints the answer on stdout, and warnings, history, usage and the error on stderr. Prints nothing if the
 * reader of stdout is gone.
 */
export async function printResult(
  watched: WatchedRun,
  options: ResultOptions,
  context: CommandContext,
): Promise<void> {
  const { terminal, stop } = context
  if (stop.silent) return
  const { report, drawn } = watched
  const isData = options.json === true || options.events === true
  if (options.json === true) printReport(report, terminal.stdout)
  else if (!isData && watched.finish !== undefined) watched.finish()
  else if (!isData) await printText(report, terminal, drawn ? terminal.stderr : undefined)
  if (options.logFormat === 'json') return recordEnd(watched, options, context)
  if (options.quiet !== true) {
    for (const text of watched.warnings) {
      const line = `${terminal.style.yellow('warning:')} ${plainText(text)}`
      terminal.stderr.write(`${wrapText(line, terminal.stderr)}\n`)
    }
    if (!isData) {
      const { printTables } = await import('./print-tables.ts')
      printTables(watched, context)
    }
  }
  if (options.quiet !== true || options.strict === true) printProblems(watched, terminal)
  printEnd(report, terminal)
}

/** Prints the answer on stdout: on a terminal as rendered Markdown, unless it is JSON. */
async function printText(
  report: RunReport,
  { stdout, outStyle }: Terminal,
  gap: Output | undefined,
): Promise<void> {
  const text = answerText(report)
  if (stdout.isTTY !== true || report.output.value !== undefined || text === '')
    return printAnswer(report, stdout, gap)
  const { markdownLines } = await import('../reporter/markdown.ts')
  gap?.write('\n')
  // Leave one column free, because some terminals wrap a full line.
  const width = Math.max(1, (stdout.columns ?? 80) - 1)
  stdout.write(`${markdownLines(text, { width, style: outStyle }).join('\n')}\n`)
}

/** Prints the error as a record if `quiet` suppressed the records of the run. */
function recordEnd(
  { report }: WatchedRun,
  { quiet }: ResultOptions,
  { terminal, clock }: CommandContext,
): void {
  if (quiet !== true || report.error === undefined) return
  writeRecord(
    terminal.stderr,
    failureRecord('refusal', report.error, () => clock.now()),
  )
}

/** Prints the number of problems, and those that were not printed yet. */
function printProblems({ report, unprintedProblems }: WatchedRun, { stderr, style }: Terminal): void {
  if (report.problemCount === 0) return
  const lines = runProblemLines(report, style, unprintedProblems)
  stderr.write(`${wrapText(lines.join('\n'), stderr)}\n`)
}

/** Options that affect the printed hints. */
interface NextCommandOptions extends StoreOptions {
  readonly quiet?: boolean
  readonly record?: string
  /** False if the cards of the run are not stored with it. Default: true. */
  readonly knowsCards?: boolean
}

/**
 * Prints the next command: for a suspended run those that answer its open approvals, for an interrupted run the
 * one that resumes it, and after a run that was drawn the one that shows it.
 */
export async function printNextCommand(
  { report, drawn }: WatchedRun,
  { host, runStore }: { readonly host: Host; readonly runStore: RunStore | undefined },
  { store, record, quiet = false, knowsCards = true }: NextCommandOptions,
  { terminal, stop, env }: CommandContext,
): Promise<void> {
  if (runStore === undefined || stop.silent) return
  const { stderr, style } = terminal
  const isCancelled = report.outcome === 'cancelled'
  if (isCancelled && report.error?.code === 'run_waiting') {
    for (const line of waitingLines(await host.approvals(report.runId), { store, env, style }))
      stderr.write(`${line}\n`)
    if (record !== undefined)
      stderr.write(`  ${style.dim('record')} ${exportHint(report.runId, { store, env })}\n`)
  } else if (isCancelled && !quiet && (await isInterrupted(runStore, report.runId))) {
    const hint = resumeHint(report.runId, { knowsCards, store, env })
    stderr.write(`  ${style.dim('resume')} ${hint}\n`)
  } else if (drawn && !quiet && (await isStored(runStore, report.runId))) {
    const command = runnable(`troupe runs show ${report.runId}${storeOption(store)}`, env)
    stderr.write(`${style.dim(command)}\n`)
  }
}

/** Returns the command that exports the recording, which `--record` could not write for an unfinished run. */
function exportHint(
  runId: string,
  { store, env }: { readonly store: StoreOptions['store'] | undefined; readonly env: CommandContext['env'] },
): string {
  const command = runnable(`troupe runs export ${runId}${storeOption(store)} --cassette`, env)
  return `${command}   (after the run has ended)`
}

/** Returns false for a run whose card stores nothing. */
async function isStored(runStore: RunStore, runId: string): Promise<boolean> {
  const [first] = await runStore.events(runId, { limit: 1 })
  return first !== undefined
}

async function isInterrupted(runStore: RunStore, runId: string): Promise<boolean> {
  const root = (await runStore.roots()).find(({ rootRunId }) => rootRunId === runId)
  if (root?.detail !== 'full') return false
  return (await summarise(runStore, root))?.state === 'interrupted'
}
