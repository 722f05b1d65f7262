import { troupeError, type RunRequest, type RunStore } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { EXIT, exitCodeOf } from '../exit-code.ts'
import { loadHost, type TeamOptions } from '../load-host.ts'
import { parseBudgetOptions, parseDurationOption } from '../option-values.ts'
import { printRefusal } from '../reporter/json.ts'
import { printResult } from '../reporter/result.ts'
import { findRoot } from '../stored/find-root.ts'
import { openKeptRuns } from '../stored/open-store.ts'
import { readNote } from '../stored/run-note.ts'
import { tellProblems } from '../tell-problems.ts'
import { watchRun } from '../watch-run.ts'
import type { RunCommandOptions } from './run.ts'

/** `troupe run [card] --resume RUN`: goes on with a run that was interrupted. Without a card: with those it began with. */
export async function resumeCommand(
  {
    card,
    words,
    runId,
  }: { readonly card: string | undefined; readonly words: readonly string[]; readonly runId: string },
  options: RunCommandOptions,
  context: CommandContext,
): Promise<number> {
  if (words.length > 0)
    throw troupeError('usage_invalid', '--resume goes on with a run: it takes no message.', {
      fix: 'Leave the message out.',
    })
  const timeout =
    options.timeout === undefined ? undefined : parseDurationOption(options.timeout, '--timeout')
  const budget = parseBudgetOptions(options)
  const store = await openKeptRuns(options, context)
  const { rootRunId } = await findRoot(store, runId)
  const team =
    card === undefined ? await teamOf(store, rootRunId, options) : { card, options, cwd: context.cwd }
  const host = await loadHost([team.card], team.options, { ...context, cwd: team.cwd }, store)
  const forget = context.atExit(() => host.kill())
  try {
    const refusal = tellProblems(host.plan(), options, context)
    if (refusal !== undefined) {
      if (options.json === true) printRefusal(refusal, context.terminal.stdout)
      return EXIT.usage
    }
    const watched = await watchRun(
      (watching) =>
        host.resume(rootRunId, {
          ...watching,
          budget,
          acceptChanges: options.acceptChanges === true,
          ...(timeout === undefined ? {} : { timeout }),
        }),
      options,
      context,
    )
    printResult(watched, options, context)
    return context.stop.exitCode ?? exitCodeOf(watched.report)
  } finally {
    await host.close()
    forget()
  }
}

interface Team {
  readonly card: string
  readonly cwd: string
  readonly options: TeamOptions
}

/** The cards and options that the run began with; variables are those of now. */
async function teamOf(store: RunStore, rootRunId: string, options: TeamOptions): Promise<Team> {
  const begin = (await store.steps(rootRunId, rootRunId)).get('begin') as unknown as RunRequest | undefined
  const note = readNote(begin?.note)
  if (note === undefined)
    throw troupeError('usage_invalid', `It is not known which cards the run ${rootRunId} began with.`, {
      fix: `Name them: troupe run <card> --resume ${rootRunId}`,
    })
  const { env } = options
  return {
    card: note.card,
    cwd: note.cwd,
    options: { ...note.options, ...(env === undefined ? {} : { env }) },
  }
}
