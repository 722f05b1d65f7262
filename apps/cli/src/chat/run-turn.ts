import { troupeError, failure, type RunOptions, type RunReport } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { watchRun, type Surface, type WatchedOptions, type WatchedRun } from '../watch/watch-run.ts'
import type { ChatBudgetTracker } from './chat-budget.ts'
import type { ChatOptions } from './chat-context.ts'
import type { ProgramStop } from '../terminal/stop.ts'

export type TurnOptions = WatchedOptions & Pick<RunOptions, 'budget' | 'note' | 'timeout'>

/**
 * Runs one turn within the remaining budget, until it ends or is stopped by Ctrl-C. Throws `budget_exceeded`
 * if the budget is used up.
 */
export async function runTurn(
  start: (options: TurnOptions) => Promise<RunReport>,
  {
    budget,
    wanted,
    options,
    surface,
  }: {
    readonly budget: ChatBudgetTracker
    readonly wanted: Pick<RunOptions, 'note' | 'timeout'>
    readonly options: ChatOptions
    readonly surface: Surface | undefined
  },
  context: CommandContext,
): Promise<WatchedRun> {
  const remaining = budget.remaining()
  if (remaining === undefined)
    throw troupeError('budget_exceeded', 'The budget of this conversation is used up.', {
      fix: 'Raise it with /budget.',
    })
  const turn = createTurnCancellation(context)
  try {
    const watched = await watchRun(
      // A stopped turn must not be resumable, so that the next message can continue the session.
      (watching) => start({ ...watching, ...wanted, resumable: false, budget: remaining }),
      options,
      { ...context, stop: turn.stop },
      surface,
    )
    budget.add(watched.report.usage)
    return watched
  } finally {
    turn.release()
  }
}

/** Cancellation of one turn, by Ctrl-C or by the end of the program. */
interface TurnCancellation {
  readonly stop: ProgramStop
  /** Restores Ctrl-C to stop the program. */
  release(): void
}

/**
 * Lets Ctrl-C cancel a turn. A second Ctrl-C in the same turn stops the program, in case the first has no
 * effect.
 */
function createTurnCancellation({
  stop,
  interrupts,
}: Pick<CommandContext, 'stop' | 'interrupts'>): TurnCancellation {
  const controller = new AbortController()
  const release = interrupts.addHandler(() => {
    if (controller.signal.aborted) stop.request('SIGINT')
    controller.abort(
      failure('run_cancelled', 'The answer was stopped (Ctrl-C).', 'Type /retry to ask again.'),
    )
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
