import { troupeError, type AgentDefinition } from '@troupe/schema'

/** The agents of one team: immutable, each found by its name and by its digest. */
export interface Catalogue {
  get(name: string): AgentDefinition | undefined
  byDigest(digest: string): AgentDefinition | undefined
  /** In the order given. */
  all(): readonly AgentDefinition[]
}

/** A catalogue of the definitions. Throws `card_duplicate_name`, naming both files, when two have one name. */
export function createCatalogue(definitions: Iterable<AgentDefinition>): Catalogue {
  const byName = new Map<string, AgentDefinition>()
  for (const definition of definitions) {
    const other = byName.get(definition.name)
    if (other !== undefined) throw duplicateName(other, definition)
    byName.set(definition.name, definition)
  }
  const all = Object.freeze([...byName.values()])
  // a digest is computed when it is read, so the table waits until somebody asks
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
