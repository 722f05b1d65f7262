import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CARD_FORMATS } from '@troupe/card-formats'
import { readCards } from '@troupe/cards'
import { troupeError } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { exitCodeOf } from '../terminal/exit-code.ts'
import { printResult } from '../watch/result.ts'
import { findRootRun, openExistingStore, type StoreOptions } from '../run-store/open-store.ts'
import { readOrigin } from '../team/run-note.ts'
import { withTeam, type StoredTeam } from '../team/stored-team.ts'
import { watchRun, type RunDisplayOptions } from '../watch/watch-run.ts'

export interface RunsForkOptions extends StoreOptions, RunDisplayOptions {
  readonly at: string
  /** Edited cards, or one folder with the whole team. */
  readonly card?: readonly string[]
  readonly env?: readonly string[]
  readonly envFile?: readonly string[]
  readonly acceptChanges?: boolean
}

/**
 * Runs `troupe runs fork RUN --at STEP [--card edited.md]`: starts a new live run from a step of a stored
 * run, and prints the first difference between the two.
 */
export async function runsForkCommand(
  run: string,
  options: RunsForkOptions,
  context: CommandContext,
): Promise<number> {
  const store = await openExistingStore(options, context)
  const { rootRunId } = await findRootRun(store, run)
  const team = forkedTeam(await readOrigin(store, rootRunId), options, context)
  return withTeam(team, { store, options, context }, async (host) => {
    let change: string | undefined
    const watched = await watchRun(
      async (watching) => {
        const acceptChanges = options.acceptChanges === true || team.accepted
        const note = { forkOf: { runId: rootRunId, at: options.at } }
        const fork = await host.fork(rootRunId, { ...watching, at: options.at, acceptChanges, note })
        change = fork.change
        return fork.report
      },
      { ...options, writeTarget: host.writeTarget },
      context,
    )
    await printResult(watched, options, context)
    if (options.quiet !== true) printChange(change, { rootRunId, runId: watched.report.runId }, context)
    return context.stop.exitCode ?? exitCodeOf(watched.report)
  })
}

interface ForkedTeam extends StoredTeam {
  /** Agents whose cards were edited; true if all of them may have changed. */
  readonly accepted: readonly string[] | true
}

/** Returns the team that the run started with, with the edited cards, or the team in the given folder. */
function forkedTeam(
  { note }: Awaited<ReturnType<typeof readOrigin>>,
  { card: cards = [], env, envFile }: RunsForkOptions,
  { cwd }: CommandContext,
): ForkedTeam {
  const envOptions = { ...(env === undefined ? {} : { env }), ...(envFile === undefined ? {} : { envFile }) }
  const [folder, ...others] = cards.filter((path) => isFolder(resolve(cwd, path)))
  if (folder !== undefined) {
    if (others.length > 0 || cards.length > 1)
      throw troupeError('usage_invalid', '--card takes either one folder or card files.', {
        fix: 'Pass one folder, or only files.',
      })
    return { cards: [folder], cwd, options: envOptions, accepted: true }
  }
  if (note === undefined)
    throw troupeError('usage_invalid', 'The cards that the run started with are unknown.', {
      fix: 'Pass the folder of its team with `--card`.',
    })
  const edited = [...(note.options.edited ?? []), ...cards.map((path) => resolve(cwd, path))]
  const accepted = cards.flatMap((path) =>
    readCards(resolve(cwd, path), { formats: CARD_FORMATS }).flatMap(
      ({ definition }) => definition?.name ?? [],
    ),
  )
  return {
    cards: note.cards,
    cwd: note.cwd,
    options: { ...note.options, ...envOptions, ...(edited.length === 0 ? {} : { edited }) },
    accepted,
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (cause) {
    throw troupeError('usage_invalid', `--card ${path}: the path does not exist.`, {
      fix: 'Pass an edited card.',
      cause,
    })
  }
}

function printChange(
  change: string | undefined,
  { rootRunId, runId }: { readonly rootRunId: string; readonly runId: string },
  { terminal: { stderr } }: CommandContext,
): void {
  const what = change === undefined ? 'no difference' : `first difference: ${change}`
  stderr.write(`${runId}, forked from ${rootRunId}: ${what}\n`)
}
