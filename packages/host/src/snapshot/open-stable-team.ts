import { existsSync, statSync } from 'node:fs'
import { readCards, type CardFormats } from '@troupe/cards'
import type { PlanProblem } from '../config/plan-problem.ts'
import type { LoadedTeam } from '../plan/load-team.ts'
import type { TeamSnapshot } from './team-snapshot.ts'

/** A team that was loaded while none of the current cards was being written. */
export interface StableTeam {
  readonly next: TeamSnapshot
  /**
   * Files that held cards and no longer do, with their problems. An agent is removed by deleting its file,
   * not by emptying it.
   */
  readonly emptied: ReadonlyMap<string, readonly PlanProblem[]>
}

/** Maximum number of attempts. */
const MAX_ATTEMPTS = 10

/**
 * Opens the team. Since a file may be empty while it is written, the team is opened again if a card is
 * missing but its file exists, until the file no longer changes.
 */
export async function openStableTeam(
  current: LoadedTeam,
  open: () => Promise<TeamSnapshot>,
  formats?: CardFormats,
): Promise<StableTeam> {
  let previous: ReadonlyMap<string, CardFileState> = new Map()
  for (let attempt = 1; ; attempt += 1) {
    const next = await open()
    const missing = new Map(
      missedCards(current, next.loaded).map((path) => [path, readFileState(path, formats)]),
    )
    const isStable = [...missing].every(([path, { stamp }]) => previous.get(path)?.stamp === stamp)
    if (isStable || attempt === MAX_ATTEMPTS) {
      const files = [...missing.keys()].map((path) => [path, previous.get(path)?.problems ?? []] as const)
      return { next, emptied: new Map(files.filter(([, problems]) => problems.length > 0)) }
    }
    previous = missing
    await next.end()
  }
}

interface CardFileState {
  /** Changes with the file; empty if there is no file. */
  readonly stamp: string
  /** Errors that explain why there is no card. Empty if there is one. */
  readonly problems: readonly PlanProblem[]
}

function readFileState(path: string, formats: CardFormats | undefined): CardFileState {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  const problems = readCards(path, formats === undefined ? {} : { formats }).flatMap((card) => card.problems)
  return {
    stamp: stats === undefined ? '' : `${stats.ino} ${stats.mtimeNs} ${stats.size}`,
    problems: problems.filter(({ severity }) => severity === 'error'),
  }
}

/** Returns existing files that held cards of the previous team but contribute none to the new one. */
function missedCards(before: LoadedTeam, after: LoadedTeam): readonly string[] {
  const present = new Set([
    ...after.plan.agents.map(({ file }) => file),
    ...after.broken.map(({ path }) => path),
  ])
  const cards = [...before.agents.values()].map(({ member }) => member.card)
  return cards.flatMap(({ path, dialect }) =>
    !present.has(path) && dialect !== undefined && existsSync(path) ? [path] : [],
  )
}
