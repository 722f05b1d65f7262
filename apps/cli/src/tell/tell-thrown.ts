import { isJsonObject, toFailure, type Failure } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { exitCodeOfFailure } from '../terminal/exit-code.ts'
import { printFailure } from '../reporter/failure.ts'
import { printRefusal } from '../reporter/json.ts'
import { failureRecord, writeRecord } from '../reporter/records.ts'
import type { CommonOptions } from '../syntax/launch.ts'

/** Tells what a command threw. The answer is the exit code; a stop of the program beats what it made fail. */
export function tellThrown(
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
    // an error of ours: its way is what a report of it needs
    if (options.logFormat !== 'json' && reason.code === 'internal' && thrown instanceof Error)
      terminal.stderr.write(`${thrown.stack ?? ''}\n`)
  }
  return stop.exitCode ?? exitCodeOfFailure(reason)
}

/** The reason of a stop comes as it is, not as an error. */
function isFailure(thrown: unknown): thrown is Failure {
  return !(thrown instanceof Error) && isJsonObject(thrown) && 'class' in thrown && 'remediation' in thrown
}
