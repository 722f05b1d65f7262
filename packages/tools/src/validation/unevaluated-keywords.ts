import { isJsonObject, type Json } from '@troupe/schema'
import { keyword, SCHEMA, type Keyword } from './keyword.ts'
import { hasKnownPatterns } from './object-keywords.ts'
import { shownValue } from './problem-text.ts'

/** Keywords for members that no other keyword has evaluated. `seen` is set if a schema uses one of them. */
export const UNEVALUATED_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  keyword('unevaluatedItems', SCHEMA, ({ value: rest, compiler, resource }) => {
    const node = compiler.compile(rest, resource)
    return (value, evaluation, seen) => {
      if (!Array.isArray(value) || seen === undefined) return true
      const list = value as readonly Json[]
      evaluation.budget.spend(3 * list.length)
      const { upTo, indexes } = seen
      let fits = true
      for (let index = upTo; index < list.length; index += 1) {
        if (indexes.has(index)) continue
        if (rest === false) return evaluation.fail(`must NOT have more than ${index} items`)
        if (!evaluation.evaluateMember(node, index, list[index] as Json)) fits = false
      }
      seen.upTo = list.length
      return fits
    }
  }),
  keyword('unevaluatedProperties', SCHEMA, ({ value: rest, schema, compiler, resource }) => {
    if (!hasKnownPatterns(schema, compiler)) return undefined
    const node = compiler.compile(rest, resource)
    return (value, evaluation, seen) => {
      if (!isJsonObject(value) || seen === undefined) return true
      const names = Object.keys(value)
      evaluation.budget.spend(15 * names.length)
      let fits = true
      for (const name of names) {
        if (seen.names.has(name)) continue
        if (rest === false)
          fits = evaluation.fail(`must NOT have unevaluated properties: ${shownValue(name)}`)
        else if (!evaluation.evaluateMember(node, name, value[name] as Json)) fits = false
      }
      seen.addNames(names, evaluation.budget)
      return fits
    }
  }),
]
