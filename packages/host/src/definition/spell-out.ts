import { getOwn } from '@troupe/schema'
import type { TroupeConfig } from '../config/config-schema.ts'

/** The names of `models` in a configuration. */
export type ModelWords = NonNullable<TroupeConfig['models']>

/** Model ids with those of the configuration in the place of its names; what stands behind a `?` goes to each of them. Where none is named the list itself. */
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
