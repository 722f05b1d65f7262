import { expandValues, type Overlay } from '@troupe/env'
import type { ModelWords } from '../definition/spell-out.ts'
import type { TroupeConfig } from './config-schema.ts'

/** Model settings of the configuration, expanded for one environment. */
export interface ModelSettings {
  /** Default models in order of fallback, for agents that name none. */
  readonly model?: readonly string[]
  /** Aliases for model ids. */
  readonly words: ModelWords
}

/**
 * Returns a function that expands `defaults.model` and `models`, cached per overlay. A variable without a
 * value is left as written.
 */
export function createModelSettings({
  defaults: { model } = {},
  models: words = {},
}: TroupeConfig): (overlay: Overlay) => ModelSettings {
  const written: ModelSettings = { ...(model === undefined ? {} : { model: [model].flat() }), words }
  if (!JSON.stringify(written).includes('${')) return () => written
  const known = new WeakMap<Overlay, ModelSettings>()
  return (overlay) => {
    const settings = known.get(overlay) ?? fill(written, overlay)
    known.set(overlay, settings)
    return settings
  }
}

/** Drops models that are empty after expansion, so `${FALLBACK:-}` makes a model optional. */
function fill(written: ModelSettings, overlay: Overlay): ModelSettings {
  const { model, words } = expandValues(written, overlay).value
  return { ...(model === undefined ? {} : { model: model.filter((id) => id !== '') }), words }
}
