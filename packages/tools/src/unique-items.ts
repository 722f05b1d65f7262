import type { FuncKeywordDefinition } from 'ajv/dist/2020.js'
import { canonicalJson } from '@troupe/schema'

const KEYWORD = 'uniqueItems'

/** The keyword `uniqueItems` in time linear in the list: the compiler's own compares every two items. */
export const UNIQUE_ITEMS: FuncKeywordDefinition = {
  keyword: KEYWORD,
  type: 'array',
  schemaType: 'boolean',
  errors: true,
  compile: (isWanted: boolean) => (isWanted ? createCheck() : () => true),
}

type CheckList = ReturnType<NonNullable<FuncKeywordDefinition['compile']>>

function createCheck(): CheckList {
  const check: CheckList = (list: readonly unknown[]) => {
    const twins = findTwins(list)
    if (twins === undefined) return true
    const [first, second] = twins
    const message = `must NOT have duplicate items (items ## ${first} and ${second} are identical)`
    check.errors = [{ keyword: KEYWORD, message, params: { i: second, j: first } }]
    return false
  }
  return check
}

/** The places of the first item that stands there a second time, and of its first. */
function findTwins(list: readonly unknown[]): readonly [number, number] | undefined {
  const places = new Map<string, number>()
  for (const [index, item] of list.entries()) {
    const text = canonicalJson(item)
    const first = places.get(text)
    if (first !== undefined) return [first, index]
    places.set(text, index)
  }
  return undefined
}
