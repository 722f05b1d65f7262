import type { ModelChoice } from '@troupe/schema'
import { createModelSettings } from '../config/model-settings.ts'
import type { LoadedHost } from '../load-host.ts'

/** The models that somebody has configured: the names of `models`, the default, and those of the cards, each once. */
export function modelChoices({
  config,
  environment,
  agents,
}: Pick<LoadedHost, 'config' | 'environment' | 'agents'>): readonly ModelChoice[] {
  const { words, model: missing = [] } = createModelSettings(config.config)(environment.overlay)
  const named = Object.entries(words).map(([id, means]) => ({ id, means: [means].flat() }))
  const meant = new Set(named.flatMap(({ means }) => means))
  const ids = [...missing, ...[...agents.values()].flatMap(({ member }) => member.definition.model)]
  // what a name stands for is chosen by the name
  const plain = ids.filter((id) => !Object.hasOwn(words, id) && !meant.has(id))
  return [...named, ...[...new Set(plain)].map((id) => ({ id }))]
}
