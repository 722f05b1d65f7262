import { failure } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import type { ProgramStop } from '../terminal/stop.ts'

/** Cancellation of one turn, by Ctrl-C or by the end of the program. */
export interface TurnCancellation {
  readonly stop: ProgramStop
  /** Restores Ctrl-C to stop the program. */
  release(): void
}

/**
 * Lets Ctrl-C cancel a turn. A second Ctrl-C in the same turn stops the program, in case the first has no
 * effect.
 */
export function createTurnCancellation({
  stop,
  interrupts,
}: Pick<CommandContext, 'stop' | 'interrupts'>): TurnCancellation {
  const controller = new AbortController()
  const release = interrupts.addHandler(() => {
    if (controller.signal.aborted) stop.request('SIGINT')
    controller.abort(failure('run_cancelled', 'It was stopped (Ctrl-C).', 'Ask again: /retry.'))
  })
  return {
    stop: {
      signal: AbortSignal.any([stop.signal, controller.signal]),
      get exitCode() {
        return stop.exitCode
      },
      get silent() {
        return stop.silent
      },
      request: (cause) => stop.request(cause),
    },
    release,
  }
}
