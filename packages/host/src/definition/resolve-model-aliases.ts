import { getOwn } from '@troupe/schema'
import type { TroupeConfig } from '../config/config-schema.ts'

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
  const meant = getOwn(aliases, name) ?? name
  const suffix = id.slice(name.length)
  return [meant].flat().map((each) => each + suffix)
}

function nameOf(id: string): string {
  return id.split('?', 1)[0] ?? id
}
