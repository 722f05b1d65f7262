import { isJsonObject, toFailure, type Failure, type TroupeError } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { Terminal } from '../terminal/terminal.ts'
import type { CommandContext, CommonOptions } from '../terminal/context.ts'
import { EXIT, exitCodeOfFailure } from '../terminal/exit-code.ts'
import { printRefusal } from './json.ts'
import { failureRecord, writeRecord } from './records.ts'

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
