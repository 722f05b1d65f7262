import type { Host } from '@troupe/host'
import { troupeError, type RunRequest, type RunStore } from '@troupe/schema'
import type { RunCommandOptions } from '../commands/run.ts'
import type { CommandContext } from '../context.ts'
import { exitCodeOfRun } from '../terminal/exit-code.ts'
import type { TeamOptions } from './load-host.ts'
import { parseBudgetOptions, parseDurationOption } from '../input/option-values.ts'
import { printResult } from '../reporter/result.ts'
import { readNote } from '../run-store/run-note.ts'
import { printResumeHint } from '../output/print-resume-hint.ts'
import { watchRun } from '../watch/watch-run.ts'
import { withTeam, type StoredTeam } from './with-team.ts'

/**
 * Resumes a stored run and closes the store at the end. Calls `before` first, with the loaded team. Returns
 * the exit code.
 */
export async function resumeStoredRun(
  {
    card,
    rootRunId,
    store,
    before,
  }: {
    readonly card: string | undefined
    readonly rootRunId: string
    readonly store: RunStore
    before?(host: Host): Promise<void>
  },
  options: RunCommandOptions,
  context: CommandContext,
): Promise<number> {
  const timeout =
    options.timeout === undefined ? undefined : parseDurationOption(options.timeout, '--timeout')
  const budget = parseBudgetOptions(options)
  const team =
    card === undefined
      ? await readTeam(store, rootRunId, options)
      : { card, options, cwd: context.cwd, wait: false }
  const wait = team.wait || options.wait === true
  return withTeam(team, { store, options, context }, async (host) => {
    await before?.(host)
    const watched = await watchRun(
      (watching) =>
        host.resume(rootRunId, {
          ...watching,
          budget,
          acceptChanges: options.acceptChanges === true,
          ...(timeout === undefined ? {} : { timeout }),
        }),
      { ...options, wait },
      context,
    )
    printResult(watched, options, context)
    await printResumeHint(watched, { host, runStore: store }, options, context)
    return context.stop.exitCode ?? exitCodeOfRun(watched.report, options)
  })
}

interface ResumedTeam extends StoredTeam {
  readonly wait: boolean
}

/** Reads the cards and options that the run started with. Variables come from the current environment. */
async function readTeam(store: RunStore, rootRunId: string, options: TeamOptions): Promise<ResumedTeam> {
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
    wait: note.wait === true,
  }
}
