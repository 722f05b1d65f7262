import { expandValues, type Overlay } from '@troupe/env'
import { getOwn } from '@troupe/schema'
import type { TroupeConfig } from './config-schema.ts'

/** Model settings of the configuration, expanded for one environment. */
export interface ConfiguredModels {
  /** Default models in order of fallback, for agents that name none. */
  readonly model?: readonly string[]
  /** Aliases for model ids. */
  readonly aliases: ModelAliases
}

/**
 * Returns a function that expands `defaults.model` and `models`, cached per overlay. A variable without a
 * value is left as written.
 */
export function createConfiguredModels({
  defaults: { model } = {},
  models: aliases = {},
}: TroupeConfig): (overlay: Overlay) => ConfiguredModels {
  const unexpanded: ConfiguredModels = { ...(model === undefined ? {} : { model: [model].flat() }), aliases }
  if (!JSON.stringify(unexpanded).includes('${')) return () => unexpanded
  const cache = new WeakMap<Overlay, ConfiguredModels>()
  return (overlay) => {
    const settings = cache.get(overlay) ?? expandSettings(unexpanded, overlay)
    cache.set(overlay, settings)
    return settings
  }
}

/** Drops models that are empty after expansion, so `${FALLBACK:-}` makes a model optional. */
function expandSettings(unexpanded: ConfiguredModels, overlay: Overlay): ConfiguredModels {
  const { model, aliases } = expandValues(unexpanded, overlay).value
  return { ...(model === undefined ? {} : { model: model.filter((id) => id !== '') }), aliases }
}

/** Model aliases from `models` of the configuration. */
export type ModelAliases = NonNullable<TroupeConfig['models']>

/**
 * Replaces aliases by their model ids and appends the options after `?` to each. Returns `ids` itself if it
 * contains no alias.
 */
export function resolveModelAliases(ids: readonly string[], aliases: ModelAliases): readonly string[] {
  return ids.some((id) => getOwn(aliases, nameOf(id)) !== undefined)
    ? [...new Set(ids.flatMap((id) => resolveAlias(id, aliases)))]
    : ids
}

function resolveAlias(id: string, aliases: ModelAliases): readonly string[] {
  const name = nameOf(id)
  const targets = getOwn(aliases, name) ?? name
  const suffix = id.slice(name.length)
  return [targets].flat().map((target) => target + suffix)
}

function nameOf(id: string): string {
  return id.split('?', 1)[0] ?? id
}
