import type { JsonObject } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import type { CallView } from './view.ts'

/** Two calls that belong together, or one without a partner. */
export interface CallPair {
  readonly left?: CallView
  readonly right?: CallView
}

/** Steps of work that are left. Once they are used up, items are paired by their position. */
export interface WorkBudget {
  steps: number
}

/** Longest part of an argument that is compared, in characters. */
const MAX_COMPARED = 500
/** Work of one comparison of arguments, in steps. */
const COMPARISON_STEPS = 20

/** Returns a text that is equal for calls of the same tool with the same arguments. */
export function callKey({ toolName, args }: CallView): string {
  return `${toolName}\n${canonicalJson(args)}`
}

/**
 * Pairs the calls of two turns: first those with the same tool and arguments, then those of the same tool by
 * the similarity of their arguments. `keyOf` returns the {@link callKey} of a call.
 */
export function matchCalls(
  left: readonly CallView[],
  right: readonly CallView[],
  { keyOf, budget }: { readonly keyOf: (call: CallView) => string; readonly budget: WorkBudget },
): readonly CallPair[] {
  const partners = new Map<CallView, CallView>()
  pairInOrder(left, right, keyOf, partners)
  const paired = new Set(partners.values())
  const restOfLeft = groupBy(
    left.filter((call) => !partners.has(call)),
    nameOf,
  )
  const restOfRight = groupBy(
    right.filter((call) => !paired.has(call)),
    nameOf,
  )
  for (const [name, calls] of restOfLeft) {
    const others = restOfRight.get(name) ?? []
    const steps = calls.length * others.length * COMPARISON_STEPS
    if (calls.length * others.length <= 1 || steps > budget.steps)
      pairInOrder(calls, others, nameOf, partners)
    else {
      budget.steps -= steps
      pairBySimilarity(calls, others, partners)
    }
  }
  return inOrder(left, right, partners)
}

function nameOf({ toolName }: CallView): string {
  return toolName
}

/** Pairs the first calls with the same key, then the second ones, and so on. */
function pairInOrder(
  left: readonly CallView[],
  right: readonly CallView[],
  keyOf: (call: CallView) => string,
  partners: Map<CallView, CallView>,
): void {
  const waiting = groupBy(right, keyOf)
  const used = new Map<string, number>()
  for (const call of left) {
    const key = keyOf(call)
    const position = used.get(key) ?? 0
    const partner = waiting.get(key)?.[position]
    if (partner === undefined) continue
    partners.set(call, partner)
    used.set(key, position + 1)
  }
}

/** Pairs the most similar calls first. Equal similarities are decided by the distance of the positions. */
function pairBySimilarity(
  left: readonly CallView[],
  right: readonly CallView[],
  partners: Map<CallView, CallView>,
): void {
  const rightTexts = right.map(({ args }) => argumentTexts(args))
  const pairs = left.flatMap((call, index) => {
    const texts = argumentTexts(call.args)
    return right.map((other, otherIndex) => ({
      call,
      other,
      similarity: similarityOf(texts, rightTexts[otherIndex] ?? new Map<string, string>()),
      distance: Math.abs(index - otherIndex),
      first: Math.min(index, otherIndex),
    }))
  })
  pairs.sort((a, b) => b.similarity - a.similarity || a.distance - b.distance || a.first - b.first)
  const paired = new Set<CallView>()
  for (const { call, other } of pairs) {
    if (partners.has(call) || paired.has(other)) continue
    partners.set(call, other)
    paired.add(other)
  }
}

function argumentTexts(args: JsonObject): ReadonlyMap<string, string> {
  return new Map(Object.entries(args).map(([name, value]) => [name, canonicalJson(value)]))
}

/** Returns the mean similarity of all arguments, from 0 to 1. */
function similarityOf(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): number {
  const names = new Set([...left.keys(), ...right.keys()])
  let sum = 0
  for (const name of names) sum += textSimilarity(left.get(name), right.get(name))
  return names.size === 0 ? 1 : sum / names.size
}

/** Returns the share of the longer text that is in the common start and the common end. */
function textSimilarity(left: string | undefined, right: string | undefined): number {
  if (left === undefined || right === undefined) return 0
  if (left === right) return 1
  const shorter = Math.min(left.length, right.length, MAX_COMPARED)
  let start = 0
  while (start < shorter && left[start] === right[start]) start += 1
  let end = 0
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end += 1
  return (start + end) / Math.max(left.length, right.length)
}

/** Returns the pairs in the order of `left`. Unpaired calls of `right` keep their place among the paired ones. */
function inOrder(
  left: readonly CallView[],
  right: readonly CallView[],
  partners: ReadonlyMap<CallView, CallView>,
): readonly CallPair[] {
  const paired = new Set(partners.values())
  const positions = new Map(right.map((call, index) => [call, index]))
  const pairs: CallPair[] = []
  let next = 0
  const addUnpaired = (end: number): void => {
    for (; next < end; next += 1) {
      const call = right[next]
      if (call !== undefined && !paired.has(call)) pairs.push({ right: call })
    }
  }
  for (const call of left) {
    const partner = partners.get(call)
    if (partner === undefined) pairs.push({ left: call })
    else {
      addUnpaired(positions.get(partner) ?? 0)
      pairs.push({ left: call, right: partner })
    }
  }
  addUnpaired(right.length)
  return pairs
}

/** Groups items by a key, in their order. */
export function groupBy<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
