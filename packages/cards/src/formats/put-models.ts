import type { Json } from '@troupe/schema'
import { MODEL_ALIASES } from '@troupe/schema/agent-keys'
import { dottedPath, type FieldPath } from '../card/problem.ts'
import type { FieldContext, FieldOutcome } from './card-format.ts'

/**
 * A model name of another product in Troupe's terms. `default` is the reason for using the configured default
 * model; `undefined` if the name stays as it is.
 */
export type ModelMapping = { readonly id: string } | { readonly default: string } | undefined

/** Reads a model name of another product. `words` are the configured names, which stay as they are. */
export type ReadModel = (name: string, configuredNames: ReadonlySet<string>) => ModelMapping

const NO_NAMES: ReadonlySet<string> = new Set()
/** Reason for using the default model. */
export const INHERITED_MODEL = 'the default model, because a child does not inherit the model of its caller'

/** Resolves `inherit` and the short names of models. */
export function modelOfAlias(name: string): ModelMapping {
  const short = name.toLowerCase().replace(/\[.*\]$/u, '')
  if (short === 'inherit' || short === 'default') return { default: INHERITED_MODEL }
  const id = MODEL_ALIASES.get(short === 'opusplan' ? 'opus' : short)
  return id === undefined ? undefined : { id }
}

/**
 * Returns the model behind a short name such as `sonnet`, with the suffix of the name; `undefined` for any
 * other name. `words` are the configured names, which are not short names.
 */
export function aliasedModel(name: string, configuredNames: ReadonlySet<string>): ModelMapping {
  const [bare = name, suffix] = name.split('?', 2)
  const model = configuredNames.has(bare) ? undefined : modelOfAlias(bare)
  return model !== undefined && 'id' in model && suffix !== undefined
    ? { id: `${model.id}?${suffix}` }
    : model
}

/** Sets the models of a key, with each name translated. */
export function putModels(
  value: Json,
  { to, read }: { readonly to: FieldPath; readonly read: ReadModel },
  { rewriter, from, card }: FieldContext,
): FieldOutcome {
  const { modelWords = NO_NAMES } = card
  const names = (Array.isArray(value) ? (value as readonly Json[]) : [value]).filter((name) => name !== '')
  if (!names.every((name) => typeof name === 'string')) {
    rewriter.put(to, value, from)
    return undefined
  }
  const words = names.map((written): Exclude<ModelMapping, undefined> => {
    const name = written.trim()
    return (modelWords.has(name) ? undefined : read(name, modelWords)) ?? { id: name }
  })
  const ids = words.flatMap((word) => ('id' in word ? [word.id] : []))
  const fallback = words.find((word) => 'default' in word)
  if (ids.length === 0) return { status: 'ignored', reason: fallback?.default ?? 'it does not name a model' }
  const [only] = ids
  rewriter.put(to, ids.length === 1 && only !== undefined ? only : ids, from)
  const isSame = ids.every((id, index) => id === names[index]) && ids.length === names.length
  return isSame
    ? { status: 'honoured' }
    : { status: 'translated', to: `${dottedPath(to)}: ${ids.join(', ')}` }
}
