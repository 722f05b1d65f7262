import type { CardPool, TeamCard } from './card-pool.ts'

/** The cards among which the children of a card are looked for. */
export interface NearCards {
  /** Each once: those beside the parent, then those of the team and of the configuration. */
  readonly cards: readonly TeamCard[]
  /** Those whose agent has the name. */
  named(name: string): readonly TeamCard[]
}

/** What is near to the cards of a folder: gathered once for each folder, however many children its cards name. */
export function createNearCards(pool: CardPool, shared: readonly TeamCard[]): (folder: string) => NearCards {
  const known = new Map<string, NearCards>()
  return (folder) => {
    const near = known.get(folder) ?? gather([...pool.folder(folder), ...shared])
    known.set(folder, near)
    return near
  }
}

function gather(cards: readonly TeamCard[]): NearCards {
  const unique = [...new Set(cards)]
  const byName = Map.groupBy(unique, (card) => card.definition?.name)
  return { cards: unique, named: (name) => byName.get(name) ?? [] }
}
