import { MODEL_ALIASES, REASONING_LEVELS, type Json } from '@troupe/schema'
import { dottedPath, type FieldPath } from '../fields/field-path.ts'
import {
  ignored,
  rule,
  translated,
  type FieldContext,
  type FieldOutcome,
  type FieldRule,
} from './field-rule.ts'

/**
 * A model name of another product in Troupe's terms. `default` is the reason for using the configured default
 * model; `undefined` if the name stays as it is.
 */
export type ModelMapping = { readonly id: string } | { readonly default: string } | undefined

/** Reads a model name of another product. `words` are the configured names, which stay as they are. */
type ReadModel = (name: string, configuredNames: ReadonlySet<string>) => ModelMapping

const NO_NAMES: ReadonlySet<string> = new Set()
const INHERIT = 'the default model: a child here does not take the model of its caller'

/** Resolves `inherit` and the short model names of Claude Code. */
export function claudeModel(name: string): ModelMapping {
  const short = name.toLowerCase().replace(/\[.*\]$/u, '')
  if (short === 'inherit' || short === 'default') return { default: INHERIT }
  const id = MODEL_ALIASES.get(short === 'opusplan' ? 'opus' : short)
  return id === undefined ? undefined : { id }
}

/**
 * Returns the model behind a short name such as `sonnet`, with the suffix of the name; `undefined` for any
 * other name. `words` are the configured names, which are not short names.
 */
export function aliasedModel(name: string, configuredNames: ReadonlySet<string>): ModelMapping {
  const [bare = name, suffix] = name.split('?', 2)
  const model = configuredNames.has(bare) ? undefined : claudeModel(bare)
  return model !== undefined && 'id' in model && suffix !== undefined
    ? { id: `${model.id}?${suffix}` }
    : model
}

/** Resolves `inherit`, `auto` and `default` to the configured default model. */
export function inheritedModel(name: string): ModelMapping {
  return /^(?:inherit|auto|default)$/iu.test(name) ? { default: INHERIT } : undefined
}

/**
 * Model names of fast-agent: from its configuration (`$system.fast`), with a provider (`openai.gpt-5`), or
 * with an effort (`gpt-5.low`).
 */
const FAST_AGENT =
  /^\$\w|^(?:openai|responses|anthropic|google|openrouter|generic)\.\w|[a-z\d]\.(?:minimal|low|medium|high)$/u

/** Returns true for a model name that only fast-agent has. */
export function isFastAgentModel(model: Json | undefined): boolean {
  return typeof model === 'string' && FAST_AGENT.test(model)
}

/** Creates the rule for `model`: text, or a list in order of fallback. */
export function modelRule(read: ReadModel, reason: string): FieldRule {
  return rule({ status: 'translated', to: 'model', reason }, (value, field) =>
    putModels(value, { to: ['model'], read }, field),
  )
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
  if (ids.length === 0) return ignored(fallback?.default ?? 'it names no model')
  const [only] = ids
  rewriter.put(to, ids.length === 1 && only !== undefined ? only : ids, from)
  const isSame = ids.every((id, index) => id === names[index]) && ids.length === names.length
  return isSame ? { status: 'honoured' } : translated(`${dottedPath(to)}: ${ids.join(', ')}`)
}

/** Creates the rule for a key that sets the reasoning effort. */
export function effortRule(): FieldRule {
  return rule({ status: 'translated', to: 'reasoning' }, (value, { rewriter, from }) => {
    const level = typeof value === 'string' ? value.toLowerCase() : value
    if (!REASONING_LEVELS.some((known) => known === level))
      return ignored(`it is none of ${REASONING_LEVELS.join(', ')}`)
    rewriter.put(['reasoning'], level, from)
    return undefined
  })
}
