import {
  isJsonObject,
  toFailure,
  type Failure,
  type RunReport,
  type TroupeError,
  type Outcome,
  type RunOutput,
  type ContentPart,
  type RunProblem,
  type RunProblems,
} from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { Terminal, Output, Style } from '../terminal/terminal.ts'
import { wrapText } from '../terminal/wrap.ts'
import type { CommandContext, CommonOptions } from '../terminal/context.ts'
import { EXIT, exitCodeOfFailure } from '../terminal/exit-code.ts'
import { failureRecord, writeRecord } from './records.ts'

/** Returns true if the run is suspended until an approval or answer. Its last text is not an answer. */
function isWaiting({ error }: { readonly error?: Failure | undefined }): boolean {
  return error?.code === 'run_waiting'
}

/** Returns true if the run was stopped and can be resumed. */
function isInterrupted({ error }: { readonly error?: Failure | undefined }): boolean {
  return error?.code === 'run_interrupted'
}

/** Prints on stderr how a run ended, unless it completed. The command to resume it is printed elsewhere. */
export function printEnd({ outcome, error }: RunReport, terminal: Terminal): void {
  const { stderr, style } = terminal
  if (isWaiting({ error })) {
    stderr.write(`${style.yellow('waiting:')} ${plainText(error?.message ?? '')}\n`)
    return
  }
  if (isInterrupted({ error })) {
    stderr.write(`${style.yellow('interrupted:')} ${plainText(error?.message ?? '')}\n`)
    return
  }
  const word = outcome === 'failed' ? 'error' : outcome
  if (error !== undefined) printFailure(error, terminal, word)
  else if (outcome !== 'completed') stderr.write(`outcome: ${outcome}\n`)
}

/** Prints a failure on stderr with its class, code and fix. `word` replaces "error". */
export function printFailure(reason: Failure, { stderr, style }: Terminal, word = 'error'): void {
  const text = plainText(reason.message, { lines: true })
  const head = word === 'error' ? style.red('error:') : style.yellow(`${word}:`)
  const code = style.dim(`[${reason.class}/${reason.code}]`)
  stderr.write(`${wrapText(`${head} ${text} ${code}`, stderr)}\n`)
  if (reason.remediation === '') return
  stderr.write(`${wrapText(`  fix: ${plainText(reason.remediation, { lines: true })}`, stderr)}\n`)
}

/** Prints the damage of a run on stderr. Returns the exit code. */
export function printDamage(damage: TroupeError | undefined, { terminal }: CommandContext): number {
  if (damage === undefined) return EXIT.completed
  printFailure(damage.failure, terminal, 'error')
  return exitCodeOfFailure(damage.failure)
}

/**
 * Prints an error that a command threw. Returns the exit code, which is that of the stop if the program was
 * stopped.
 */
export function printThrown(
  thrown: unknown,
  options: CommonOptions,
  { terminal, stop, clock }: CommandContext,
): number {
  const reason = isFailure(thrown) ? thrown : toFailure(thrown)
  if (!stop.silent) {
    if (options.json === true) printRefusal(reason, terminal.stdout)
    if (options.logFormat === 'json')
      writeRecord(
        terminal.stderr,
        failureRecord('refusal', reason, () => clock.now()),
      )
    else printFailure(reason, terminal, reason.class === 'cancelled' ? 'cancelled' : 'error')
    // Print the stack of an internal error for bug reports.
    if (options.logFormat !== 'json' && reason.code === 'internal' && thrown instanceof Error)
      terminal.stderr.write(`${thrown.stack ?? ''}\n`)
  }
  return stop.exitCode ?? exitCodeOfFailure(reason)
}

/** Returns true for a plain failure, which is the abort reason of a stopped program. */
function isFailure(thrown: unknown): thrown is Failure {
  return !(thrown instanceof Error) && isJsonObject(thrown) && 'class' in thrown && 'remediation' in thrown
}

/** Prints the report of `--json`, for every outcome. */
export function printReport(report: RunReport, output: Output): void {
  output.write(`${JSON.stringify(report, null, 2)}\n`)
}

/** Prints the object of `--json` for a run that could not start: its outcome and error. */
export function printRefusal(error: Failure, output: Output): void {
  output.write(`${JSON.stringify({ outcome: 'failed', error }, null, 2)}\n`)
}

/** Outcomes whose text is a complete or partial answer. */
const WITH_TEXT: ReadonlySet<Outcome> = new Set(['completed', 'partial', 'cancelled', 'timeout', 'budget'])

/** Returns the text of an answer, or an empty string. JSON values are formatted. */
export function answerText({
  outcome,
  output,
  error,
}: Pick<RunReport, 'outcome' | 'output' | 'error'>): string {
  return WITH_TEXT.has(outcome) && !isWaiting({ error }) ? outputText(output) : ''
}

/** Returns the text of an output. JSON values are formatted. */
export function outputText({ value, text = '' }: RunOutput): string {
  return value === undefined ? text : JSON.stringify(value, null, 2)
}

/**
 * Prints the answer with a final line break, without control characters on a terminal. Writes an empty line
 * to `gap` before it.
 */
export function printAnswer(report: RunReport, stdout: Output, gap?: Output): void {
  const text = answerText(report)
  if (text === '') return
  gap?.write('\n')
  const printable = stdout.isTTY === true ? plainText(text, { lines: true }) : text
  stdout.write(printable.endsWith('\n') ? printable : `${printable}\n`)
}

/** Returns the placeholder for binary data where only text can be shown. */
export function dataNote({ mediaType, base64 }: Extract<ContentPart, { type: 'data' }>): string {
  return `[${plainText(mediaType, { max: 80 })}, ${base64.length} base64 digits; see --json]`
}

/** Maximum number of problems listed on a terminal; `--json` prints all that the report has. */
const MAX_LISTED = 10
const MESSAGE = 200

/**
 * Returns lines with the number of problems and the first of them; no lines without problems. At most `count` problems
 * are listed or counted as more, by default all.
 */
export function runProblemLines(
  { problems, problemCount }: RunProblems,
  style: Style,
  count = problemCount,
): readonly string[] {
  if (problemCount === 0) return []
  const listed = problems.slice(0, Math.min(count, MAX_LISTED))
  const rest = count - listed.length
  return [
    `${style.yellow('problems:')} ${problemCount}`,
    ...listed.map((problem) => `  ${problemLine(problem, style)}`),
    ...(rest === 0 ? [] : [`  ${style.dim(`and ${rest} more`)}`]),
  ]
}

function problemLine({ instance, tool, code, message }: RunProblem, style: Style): string {
  const who = tool === undefined ? instance : `${instance}, ${tool}`
  return `${plainText(who)}: ${plainText(message, { max: MESSAGE })} ${style.dim(`[${plainText(code)}]`)}`
}
