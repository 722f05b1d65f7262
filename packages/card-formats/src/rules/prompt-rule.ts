import { rule, type FieldRule } from './field-rule.ts'

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
