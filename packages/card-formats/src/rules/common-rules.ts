import { REASONING_LEVELS } from '@troupe/schema/agent-keys'
import { INHERITED_MODEL, putModels, type ModelMapping, type ReadModel } from '@troupe/cards/formats'
import { ignoredWithWarning, rule, type FieldRule } from './field-rule.ts'

/** Resolves `auto` and `default` to the configured default model, and `inherit` to the model of the caller. */
export function inheritedModel(name: string): ModelMapping {
  if (/^inherit$/iu.test(name)) return { id: INHERITED_MODEL }
  return /^(?:auto|default)$/iu.test(name) ? { default: 'the default model' } : undefined
}

/** Creates the rule for `model`: text, or a list in order of fallback. */
export function modelRule(read: ReadModel, reason: string): FieldRule {
  return rule({ status: 'translated', to: 'model', reason }, (value, field) =>
    putModels(value, { to: ['model'], read }, field),
  )
}

/** Creates the rule for a key that sets the reasoning effort. */
export function effortRule(): FieldRule {
  return rule({ status: 'translated', to: 'reasoning' }, (value, field) => {
    const level = typeof value === 'string' ? value.toLowerCase() : value
    if (typeof level !== 'number' && !REASONING_LEVELS.some((known) => known === level))
      return ignoredWithWarning(`it is not one of ${REASONING_LEVELS.join(', ')}`, field)
    field.rewriter.put(['reasoning'], level, field.from)
    return undefined
  })
}

/**
 * Creates the rule for a prompt key that other keys append to. If one of these came before, it has included
 * the prompt already.
 */
export function promptRule(): FieldRule {
  return rule({ status: 'translated', to: 'instruction' }, (value, { rewriter, from }) => {
    if (rewriter.get(['instruction']) === undefined) rewriter.put(['instruction'], value, from)
    return undefined
  })
}
