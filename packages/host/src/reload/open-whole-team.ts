import { statSync } from 'node:fs'
import { readCards } from '@troupe/cards'
import type { Generation } from '../generation.ts'
import type { LoadedHost } from '../load-host.ts'
import type { PlanProblem } from '../plan/plan-types.ts'
import { missedCards } from './compare-teams.ts'

/** A team that was read while no card of the team in force was being written. */
export interface WholeTeam {
  readonly next: Generation
  /** Files that held cards and hold none now, with what is wrong with each: an agent is removed by removing its file. */
  readonly emptied: ReadonlyMap<string, readonly PlanProblem[]>
}

/** More often a file is not written at the very moment in which it is read. */
const MOST = 10

/**
 * Opens the team. A file is empty for a moment while it is written: if a card is missed whose file is there, the team is opened again until that
 * file has not changed meanwhile.
 */
export async function openWholeTeam(
  current: LoadedHost,
  open: () => Promise<Generation>,
): Promise<WholeTeam> {
  let seen: ReadonlyMap<string, CardFile> = new Map()
  for (let attempt = 1; ; attempt += 1) {
    const next = await open()
    const missed = new Map(missedCards(current, next.loaded).map((path) => [path, lookAt(path)]))
    const isStable = [...missed].every(([path, { stamp }]) => seen.get(path)?.stamp === stamp)
    if (isStable || attempt === MOST) {
      const files = [...missed.keys()].map((path) => [path, seen.get(path)?.problems ?? []] as const)
      return { next, emptied: new Map(files.filter(([, problems]) => problems.length > 0)) }
    }
    seen = missed
    await next.end()
  }
}

interface CardFile {
  /** Differs after each change of the file; empty if there is no file. */
  readonly stamp: string
  /** Why it holds no card; none if it holds one. */
  readonly problems: readonly PlanProblem[]
}

function lookAt(path: string): CardFile {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  const problems = readCards(path).flatMap((card) => card.problems)
  return {
    stamp: stats === undefined ? '' : `${stats.ino} ${stats.mtimeNs} ${stats.size}`,
    problems: problems.filter(({ severity }) => severity === 'error'),
  }
}
