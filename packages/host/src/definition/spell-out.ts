import { getOwn } from '@troupe/schema'
import type { TroupeConfig } from '../config/config-schema.ts'

/** Model aliases from `models` of the configuration. */
export type ModelWords = NonNullable<TroupeConfig['models']>

/**
 * Replaces aliases by their model ids and appends the options after `?` to each. Returns `ids` itself if it
 * contains no alias.
 */
export function spellOut(ids: readonly string[], words: ModelWords): readonly string[] {
  return ids.some((id) => getOwn(words, nameOf(id)) !== undefined)
    ? [...new Set(ids.flatMap((id) => meaningOf(id, words)))]
    : ids
}

function meaningOf(id: string, words: ModelWords): readonly string[] {
  const name = nameOf(id)
  const meant = getOwn(words, name) ?? name
  const suffix = id.slice(name.length)
  return [meant].flat().map((each) => each + suffix)
}

function nameOf(id: string): string {
  return id.split('?', 1)[0] ?? id
}
