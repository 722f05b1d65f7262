import type { Failure, RunReport } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { Terminal } from '../terminal/terminal.ts'
import { printFailure } from './failure.ts'

/** Returns true if the run is suspended until an approval or answer. Its last text is not an answer. */
export function isWaiting({ error }: { readonly error?: Failure | undefined }): boolean {
  return error?.code === 'run_waiting'
}

/** Returns true if the run was stopped and can be resumed. */
export function isInterrupted({ error }: { readonly error?: Failure | undefined }): boolean {
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
