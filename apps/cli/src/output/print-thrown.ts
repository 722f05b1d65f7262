import { isJsonObject, toFailure, type Failure } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { exitCodeOfFailure } from '../terminal/exit-code.ts'
import { printFailure } from '../reporter/failure.ts'
import { printRefusal } from '../reporter/json.ts'
import { failureRecord, writeRecord } from '../reporter/records.ts'
import type { CommonOptions } from '../syntax/launch.ts'

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
