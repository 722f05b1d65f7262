import { rule, type FieldRule } from './field-rule.ts'

/** The rule for the key of a prompt to which other keys add: one of them that came before has put all of it. */
export function promptRule(): FieldRule {
  return rule({ status: 'translated', to: 'instruction' }, (value, { rewriter, from }) => {
    if (rewriter.get(['instruction']) === undefined) rewriter.put(['instruction'], value, from)
    return undefined
  })
}
