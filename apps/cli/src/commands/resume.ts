import { countProblems } from '@troupe/core'
import { troupeError } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import type { Host } from '@troupe/host'
import type { CommandContext } from '../terminal/context.ts'
import { findRootRun, openExistingStore } from '../run-store/open-store.ts'
import { openDispatcherOf } from '../run-store/open-workers.ts'
import { readableEvents } from '../run-store/run-summary.ts'
import { printNote } from '../reporter/reload.ts'
import type { RunCommandOptions } from './run.ts'
import { exitCodeOfRun } from '../terminal/exit-code.ts'
import { runnable } from '../terminal/runnable.ts'
import type { TeamOptions } from '../team/load-host.ts'
import { readOrigin, type RunNote } from '../team/run-note.ts'
import { withTeam, type StoredTeam } from '../team/stored-team.ts'
import { parseBudgetOptions, parseDurationOption } from '../input/option-values.ts'
import { printResult, printNextCommand } from '../watch/result.ts'
import { watchRun, type RunBeforeResume } from '../watch/watch-run.ts'

/**
 * Runs `troupe run [card] --resume RUN`: resumes an interrupted run, by default with the cards it started
 * with.
 */
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
    throw troupeError('usage_invalid', '--resume continues a run and takes no message.', {
      fix: 'Remove the message.',
    })
  const paths = card === undefined ? [] : [card]
  const store = await openExistingStore({ ...options, paths }, context)
  const { rootRunId } = await findRootRun(store, runId)
  return resumeStoredRun({ card, rootRunId, store }, options, context)
}

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
  const { agent, note } = await readOrigin(store, rootRunId)
  const limits = lowerLimits(note?.caps, {
    budget: parseBudgetOptions(options),
    ...(options.timeout === undefined ? {} : { timeout: parseDurationOption(options.timeout, '--timeout') }),
  })
  const date = note?.options.date === undefined ? {} : { date: note.options.date }
  const team =
    card === undefined
      ? storedTeam(note, { rootRunId, options }, context)
      : { cards: [card], options: { ...options, ...date }, cwd: context.cwd, wait: false }
  const wait = team.wait || options.wait === true
  const located = { ...options, paths: card === undefined ? [] : [card] }
  const dispatcher = await openDispatcherOf(rootRunId, { options: located, store }, context)
  return withTeam(team, { agent, store, dispatcher, options, context }, async (host) => {
    const { text, isEnded, past } = await describeResume(store, rootRunId)
    await before?.(host)
    if (options.quiet !== true) printNote(text, options, context)
    // the lines of a run that has ended would look as if it ran again
    const quiet = options.quiet === true || isEnded
    const watched = await watchRun(
      (watching) =>
        host.resume(rootRunId, {
          ...watching,
          ...limits,
          acceptChanges: options.acceptChanges === true,
        }),
      { ...options, quiet, wait, writeTarget: host.writeTarget, past },
      context,
    )
    await printResult(watched, { ...options, quiet }, context)
    const knowsCards = note !== undefined
    await printNextCommand(watched, { host, runStore: store }, { ...options, quiet, knowsCards }, context)
    return context.stop.exitCode ?? exitCodeOfRun(watched.report, options)
  })
}

/** Merges the limits of a stored run with those of the options. The lower of two limits applies. */
function lowerLimits(stored: LimitsOfRun = {}, { budget, timeout }: LimitsOfRun): LimitsOfRun {
  const kinds = ['maxTokens', 'maxCost'] as const
  const lower = (one = Infinity, other = Infinity): number => Math.min(one, other)
  const budgets = kinds.map((kind) => [kind, lower(stored.budget?.[kind], budget?.[kind])] as const)
  const longest = lower(stored.timeout, timeout)
  return {
    budget: Object.fromEntries(budgets.filter(([, cap]) => cap < Infinity)),
    ...(longest === Infinity ? {} : { timeout: longest }),
  }
}

/**
 * Returns a sentence about a run before it is resumed, whether it has already ended, and the part of it that is
 * stored.
 */
async function describeResume(
  store: RunStore,
  rootRunId: string,
): Promise<{ readonly text: string; readonly isEnded: boolean; readonly past: RunBeforeResume }> {
  const { events } = await readableEvents(store, rootRunId)
  const last = events.at(-1)
  const past = { lastSeq: last?.seq ?? 0, problemCount: countProblems(events) }
  if (last?.type === 'run-end' && last.runId === rootRunId)
    return {
      text: `The run ${rootRunId} has already ended (${last.outcome}). Its result:`,
      isEnded: true,
      past,
    }
  const count = events.filter(({ type }) => type === 'tool-result').length
  const reused =
    count === 1 ? 'The result of 1 finished call is' : `The results of ${count} finished calls are`
  return { text: `Resuming the run ${rootRunId}. ${reused} reused.`, isEnded: false, past }
}

type LimitsOfRun = NonNullable<RunNote['caps']>

interface ResumedTeam extends StoredTeam {
  readonly wait: boolean
}

/** Returns the cards and options that the run started with. Variables come from the current environment. */
function storedTeam(
  note: RunNote | undefined,
  { rootRunId, options }: { readonly rootRunId: string; readonly options: TeamOptions },
  context: CommandContext,
): ResumedTeam {
  if (note === undefined)
    throw troupeError('usage_invalid', `The cards that the run ${rootRunId} started with are unknown.`, {
      fix: `Pass them: ${runnable(`troupe run <card> --resume ${rootRunId}`, context.env)}`,
    })
  const { env } = options
  return {
    cards: note.cards,
    cwd: note.cwd,
    options: { ...note.options, ...(env === undefined ? {} : { env }) },
    wait: note.wait === true || note.detached === true,
  }
}
