import type { Outcome, RunOutput } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../context.ts'
import type { Output } from '../terminal.ts'
import type { WatchedRun } from '../watch-run.ts'
import { printFailure } from './failure.ts'
import { printReport } from './json.ts'
import { summaryLines } from './summary.ts'

/** Outcomes whose text is an answer, or as much of one as there was time and money for. */
const WITH_TEXT: ReadonlySet<Outcome> = new Set(['completed', 'partial', 'cancelled', 'timeout', 'budget'])

/** Says how a run ended: the answer on stdout; warnings, usage and the error on stderr. Nothing where nobody reads any more. */
export function printResult(
  { report, accounts, warnings, drawn }: WatchedRun,
  options: { readonly json?: boolean; readonly events?: boolean; readonly quiet?: boolean },
  { terminal, stop }: CommandContext,
): void {
  if (stop.silent) return
  const { stdout, stderr, style } = terminal
  const isData = options.json === true || options.events === true
  if (options.json === true) printReport(report, stdout)
  else if (!isData && WITH_TEXT.has(report.outcome))
    printAnswer(report.output, terminal.stdout, drawn ? stderr : undefined)
  if (options.quiet !== true) {
    for (const text of warnings) stderr.write(`${style.yellow('warning:')} ${plainText(text)}\n`)
    if (!isData) {
      const { durationMs } = report
      stderr.write(`\n${summaryLines(accounts, { durationMs, style }).join('\n')}\n`)
    }
  }
  const word = report.outcome === 'failed' ? 'error' : report.outcome
  if (report.error !== undefined) printFailure(report.error, terminal, word)
  else if (report.outcome !== 'completed') stderr.write(`outcome: ${report.outcome}\n`)
}

/** Ends with a line break; a terminal gets no control characters. */
function printAnswer(output: RunOutput, stdout: Output, gap: Output | undefined): void {
  const text = output.value === undefined ? (output.text ?? '') : JSON.stringify(output.value, null, 2)
  if (text === '') return
  gap?.write('\n')
  const shown = stdout.isTTY === true ? plainText(text, { lines: true }) : text
  stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`)
}
