import { isJsonObject, toFailure, type Failure, type RunReport, type TroupeError } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { Terminal, Output } from '../terminal/terminal.ts'
import type { CommandContext, CommonOptions } from '../terminal/context.ts'
import { EXIT, exitCodeOfFailure } from '../terminal/exit-code.ts'
import { failureRecord, writeRecord } from './records.ts'

/** Returns true if the run is suspended until an approval or answer. Its last text is not an answer. */
export function isWaiting({ error }: { readonly error?: Failure | undefined }): boolean {
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
  stderr.write(`${head} ${text} ${style.dim(`[${reason.class}/${reason.code}]`)}\n`)
  if (reason.remediation !== '') stderr.write(`  fix: ${plainText(reason.remediation, { lines: true })}\n`)
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
