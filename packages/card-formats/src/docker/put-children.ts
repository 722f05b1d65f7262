import type { Json } from '@troupe/schema'
import { addToList, dottedPath, type FieldContext, type FieldOutcome, textList } from '@troupe/cards/formats'
import { ignored } from '../rules/field-rule.ts'

/** Adds `sub_agents` or `handoffs`: other agents of the file, and files beside it. */
export function putChildren(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  const names = textList(value, from)
  if (names === undefined) return ignored('it is no list of names')
  for (const { text, at } of names) {
    if (text === '') continue
    const isElsewhere = /:\/\//u.test(text) || (/[/:]/u.test(text) && !/\.ya?ml$/u.test(text))
    if (!isElsewhere) addToList(rewriter, { to: ['agents'], values: [text], from: at })
    else
      rewriter.addProblem({
        severity: 'warning',
        code: 'agent_unknown',
        message: `\`${dottedPath(at)}\`: "${text}" lies in a registry or at an address; agents are not loaded from there.`,
        at,
        fix: 'Save it as a file beside this one, and name the file.',
      })
  }
  return undefined
}
