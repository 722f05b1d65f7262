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
/** The model name of an agent that uses the models of its caller. */
export const INHERITED_MODEL = 'inherit'

/** Resolves `inherit` and the short names of models. */
export function modelOfAlias(name: string): ModelMapping {
  const short = name.toLowerCase().replace(/\[.*\]$/u, '')
  if (short === INHERITED_MODEL) return { id: INHERITED_MODEL }
  if (short === 'default') return { default: 'the default model' }
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
  const all = words.flatMap((word) => ('id' in word ? [word.id] : []))
  // A list names the models itself.
  const ids = all.length > 1 ? all.filter((id) => id !== INHERITED_MODEL) : all
  const fallback = words.find((word) => 'default' in word)
  if (ids.length === 0) return { status: 'ignored', reason: fallback?.default ?? 'it does not name a model' }
  const [only] = ids
  rewriter.put(to, ids.length === 1 && only !== undefined ? only : ids, from)
  const isSame = ids.every((id, index) => id === names[index]) && ids.length === names.length
  return isSame
    ? { status: 'honoured' }
    : { status: 'translated', to: `${dottedPath(to)}: ${ids.join(', ')}` }
}
