import type { ModelChoice } from '@troupe/schema'
import { createModelSettings } from '../config/model-settings.ts'
import type { LoadedHost } from '../load-host.ts'

/** Returns all configured models, each once: aliases, the default, and those of the cards. */
export function modelChoices({
  config,
  environment,
  agents,
}: Pick<LoadedHost, 'config' | 'environment' | 'agents'>): readonly ModelChoice[] {
  const { words, model: missing = [] } = createModelSettings(config.config)(environment.overlay)
  const named = Object.entries(words).map(([id, means]) => ({ id, means: [means].flat() }))
  const meant = new Set(named.flatMap(({ means }) => means))
  const ids = [...missing, ...[...agents.values()].flatMap(({ member }) => member.definition.model)]
  // A model with an alias is listed under the alias only.
  const plain = ids.filter((id) => !Object.hasOwn(words, id) && !meant.has(id))
  return [...named, ...[...new Set(plain)].map((id) => ({ id }))]
}
