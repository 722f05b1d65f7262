import { failure } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import type { ProgramStop } from '../terminal/stop.ts'

/** What stops one turn: Ctrl-C, or whatever stops the program. */
export interface TurnStop {
  readonly stop: ProgramStop
  /** Ctrl-C stops the program again. */
  release(): void
}

/** Takes Ctrl-C for a turn. The second one in the same turn stops the program: the first may not have been enough. */
export function stopForTurn({ stop, interrupts }: Pick<CommandContext, 'stop' | 'interrupts'>): TurnStop {
  const controller = new AbortController()
  const release = interrupts.take(() => {
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
