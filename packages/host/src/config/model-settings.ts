import { expandValues, type Overlay } from '@troupe/env'
import type { ModelWords } from '../definition/spell-out.ts'
import type { TroupeConfig } from './config-schema.ts'

/** What a configuration says of models, as one session sees it: with the variables of its own folder. */
export interface ModelSettings {
  /** Of agents that name none, in order of fallback; none: there is no default. */
  readonly model?: readonly string[]
  /** Names that stand for model ids. */
  readonly words: ModelWords
}

/** Fills in the variables of `defaults.model` and `models`, once for each overlay. One without a value stays as it is written. */
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

/** A variable that may be empty is a model that there may be. */
function fill(written: ModelSettings, overlay: Overlay): ModelSettings {
  const { model, words } = expandValues(written, overlay).value
  return { ...(model === undefined ? {} : { model: model.filter((id) => id !== '') }), words }
}
