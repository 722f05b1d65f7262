import { troupeError, type AgentDefinition } from '@troupe/schema'

/** The agents of one team by name and by digest. Immutable. */
export interface Catalogue {
  get(name: string): AgentDefinition | undefined
  byDigest(digest: string): AgentDefinition | undefined
  /** Returns all agents in the order in which they were added. */
  all(): readonly AgentDefinition[]
}

/**
 * Creates a catalogue. Throws `card_duplicate_name`, which names both files, if two definitions share a name.
 */
export function createCatalogue(definitions: Iterable<AgentDefinition>): Catalogue {
  const byName = new Map<string, AgentDefinition>()
  for (const definition of definitions) {
    const other = byName.get(definition.name)
    if (other !== undefined) throw duplicateName(other, definition)
    byName.set(definition.name, definition)
  }
  const all = Object.freeze([...byName.values()])
  // Built on the first lookup, because reading a digest computes it.
  let byDigest: ReadonlyMap<string, AgentDefinition> | undefined
  return {
    get: (name) => byName.get(name),
    byDigest: (digest) => {
      byDigest ??= new Map(all.map((definition) => [definition.digest, definition]))
      return byDigest.get(digest)
    },
    all: () => all,
  }
}

function duplicateName(first: AgentDefinition, second: AgentDefinition): Error {
  return troupeError(
    'card_duplicate_name',
    `Two agents are named "${second.name}": ${first.source.path} and ${second.source.path}.`,
  )
}
