import { callKey, groupBy, matchCalls, type CallPair, type WorkBudget } from './match-calls.ts'
import type { CallView } from './view.ts'

/** The calls of one turn, with what the alignment of turns compares. */
interface Turn {
  readonly calls: readonly CallView[]
  /** Number of calls by tool and arguments. */
  readonly keys: ReadonlyMap<string, number>
  /** Number of calls by tool. */
  readonly names: ReadonlyMap<string, number>
  /** Equal for turns with the same calls in any order. */
  readonly signature: string
}

/** Turns that belong together, or one without a partner. */
interface TurnPair {
  readonly left?: Turn
  readonly right?: Turn
}

/** Weight of calls with the same arguments, compared with calls of the same tool. */
const SAME_CALL = 2 ** 20

/**
 * Pairs the calls of two runs. Turns are aligned in their order, so that as many calls as possible are equal,
 * then as many as possible use the same tool. The calls of two aligned turns are paired in any order, because
 * calls of one turn run at the same time.
 */
export function alignCalls(
  left: readonly CallView[],
  right: readonly CallView[],
  budget: WorkBudget,
): readonly CallPair[] {
  const keys = new Map<CallView, string>()
  for (const call of [...left, ...right]) keys.set(call, callKey(call))
  const keyOf = (call: CallView): string => keys.get(call) ?? ''
  return alignTurns(toTurns(left, keyOf), toTurns(right, keyOf), budget).flatMap((pair) =>
    matchCalls(pair.left?.calls ?? [], pair.right?.calls ?? [], { keyOf, budget }),
  )
}

function toTurns(calls: readonly CallView[], keyOf: (call: CallView) => string): readonly Turn[] {
  return [...groupBy(calls, ({ turn }) => turn).values()].map((group) => {
    const keys = group.map(keyOf)
    return {
      calls: group,
      keys: countOf(keys),
      names: countOf(group.map(({ toolName }) => toolName)),
      signature: keys.toSorted().join('\n'),
    }
  })
}

function countOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

/** Aligns turns: equal ones at the start and at the end, and the others by their calls. */
function alignTurns(left: readonly Turn[], right: readonly Turn[], budget: WorkBudget): readonly TurnPair[] {
  const shorter = Math.min(left.length, right.length)
  const isEqual = (a: Turn | undefined, b: Turn | undefined): boolean => a?.signature === b?.signature
  let start = 0
  while (start < shorter && isEqual(left[start], right[start])) start += 1
  let end = 0
  while (end < shorter - start && isEqual(left.at(-1 - end), right.at(-1 - end))) end += 1
  const middleOf = (turns: readonly Turn[]): readonly Turn[] => turns.slice(start, turns.length - end)
  return [
    ...pairByPosition(left.slice(0, start), right.slice(0, start)),
    ...alignMiddle(middleOf(left), middleOf(right), budget),
    ...pairByPosition(left.slice(left.length - end), right.slice(right.length - end)),
  ]
}

function pairByPosition(left: readonly Turn[], right: readonly Turn[]): readonly TurnPair[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const [one, other] = [left[index], right[index]]
    return { ...(one === undefined ? {} : { left: one }), ...(other === undefined ? {} : { right: other }) }
  })
}

function alignMiddle(left: readonly Turn[], right: readonly Turn[], budget: WorkBudget): readonly TurnPair[] {
  const widest = [...left, ...right].reduce((most, { keys }) => Math.max(most, keys.size), 1)
  const steps = (left.length + 1) * (right.length + 1) * widest
  if (steps > budget.steps) return pairByPosition(left, right)
  budget.steps -= steps
  // One of several equally good alignments is chosen independently of the sides.
  return compareTurns(left, right) <= 0 ? alignByScore(left, right) : alignByScore(right, left).map(swapSides)
}

function compareTurns(left: readonly Turn[], right: readonly Turn[]): number {
  for (const [index, { signature }] of left.entries()) {
    const other = right[index]?.signature ?? ''
    if (signature !== other) return signature < other ? -1 : 1
  }
  return left.length - right.length
}

function swapSides({ left, right }: TurnPair): TurnPair {
  return { ...(right === undefined ? {} : { left: right }), ...(left === undefined ? {} : { right: left }) }
}

/** Finds the alignment with the highest sum of scores by dynamic programming. */
function alignByScore(left: readonly Turn[], right: readonly Turn[]): readonly TurnPair[] {
  const width = right.length + 1
  // best[i * width + j] is the highest sum for the turns from `i` of left and from `j` of right.
  const best = new Float64Array((left.length + 1) * width)
  const at = (i: number, j: number): number => best[i * width + j] ?? 0
  for (let i = left.length - 1; i >= 0; i -= 1)
    for (let j = right.length - 1; j >= 0; j -= 1)
      best[i * width + j] = Math.max(
        at(i + 1, j),
        at(i, j + 1),
        at(i + 1, j + 1) + scoreOf(left[i], right[j]),
      )
  const pairs: TurnPair[] = []
  let [i, j] = [0, 0]
  while (i < left.length || j < right.length) {
    const [one, other] = [left[i], right[j]]
    const score = scoreOf(one, other)
    if (one !== undefined && other !== undefined && score > 0 && at(i, j) === at(i + 1, j + 1) + score) {
      pairs.push({ left: one, right: other })
      i += 1
      j += 1
    } else if (one !== undefined && (other === undefined || at(i, j) === at(i + 1, j))) {
      pairs.push({ left: one })
      i += 1
    } else if (other !== undefined) {
      pairs.push({ right: other })
      j += 1
    }
  }
  return pairs
}

function scoreOf(left: Turn | undefined, right: Turn | undefined): number {
  if (left === undefined || right === undefined) return 0
  return SAME_CALL * sharedCount(left.keys, right.keys) + sharedCount(left.names, right.names)
}

function sharedCount(left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>): number {
  if (left.size > right.size) return sharedCount(right, left)
  let shared = 0
  for (const [text, count] of left) shared += Math.min(count, right.get(text) ?? 0)
  return shared
}
