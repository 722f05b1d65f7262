import type { ModelChoice } from '@troupe/schema'
import { createConfiguredModels } from '../config/configured-models.ts'
import type { LoadedHost } from '../load-host.ts'

/** Returns all configured models, each once: aliases, the default, and those of the cards. */
export function modelChoices({
  config,
  environment,
  agents,
}: Pick<LoadedHost, 'config' | 'environment' | 'agents'>): readonly ModelChoice[] {
  const { aliases, model: missing = [] } = createConfiguredModels(config.config)(environment.overlay)
  const named = Object.entries(aliases).map(([id, means]) => ({ id, means: [means].flat() }))
  const meant = new Set(named.flatMap(({ means }) => means))
  const ids = [...missing, ...[...agents.values()].flatMap(({ member }) => member.definition.model)]
  // A model with an alias is listed under the alias only.
  const plain = ids.filter((id) => !Object.hasOwn(aliases, id) && !meant.has(id))
  return [...named, ...[...new Set(plain)].map((id) => ({ id }))]
}
