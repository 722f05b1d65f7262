import type { CardPool, TeamCard } from './card-pool.ts'

/** The cards that a child reference is resolved among. */
export interface ChildCandidates {
  /**
   * Without duplicates: first the cards in the folder of the parent, then those of the team and the
   * configuration.
   */
  readonly cards: readonly TeamCard[]
  /** Returns the cards whose agent has the name. */
  named(name: string): readonly TeamCard[]
}

/** Returns a function that collects the cards for a folder, cached per folder. */
export function createChildCandidates(
  pool: CardPool,
  shared: readonly TeamCard[],
): (folder: string) => ChildCandidates {
  const known = new Map<string, ChildCandidates>()
  return (folder) => {
    const near = known.get(folder) ?? gather([...pool.folder(folder), ...shared])
    known.set(folder, near)
    return near
  }
}

function gather(cards: readonly TeamCard[]): ChildCandidates {
  const unique = [...new Set(cards)]
  const byName = Map.groupBy(unique, (card) => card.definition?.name)
  return { cards: unique, named: (name) => byName.get(name) ?? [] }
}
