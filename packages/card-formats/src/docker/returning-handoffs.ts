import { getOwn, type Json, type JsonObject } from '@troupe/schema'
import { textList } from '@troupe/cards/formats'
import { mappingOf } from '../rules/json-shapes.ts'

/**
 * Handoffs of each agent that lead back to one of its callers: index in `handoffs` and the caller's name, by
 * agent. They are dropped, because the answer returns to the caller anyway and cycles are an error.
 */
export type ReturningHandoffs = ReadonlyMap<string, ReadonlyMap<number, string>>

interface HandoffStep {
  readonly name: string
  readonly calls: Iterator<HandoffCall>
}

interface HandoffCall {
  readonly to: string
  /** Index in `handoffs`; `undefined` for `sub_agents`. */
  readonly place?: number
}

/** Finds handoffs that lead back, following the calls of a file from the entry agent. */
export function findReturningHandoffs(agents: JsonObject, entry: string | undefined): ReturningHandoffs {
  const found = new Map<string, Map<number, string>>()
  const seen = new Set<string>()
  for (const start of [entry ?? '', ...Object.keys(agents)]) {
    const callPath: HandoffStep[] = []
    const enter = (name: string): void => {
      seen.add(name)
      callPath.push({ name, calls: callsOf(getOwn(agents, name)).values() })
    }
    if (!seen.has(start)) enter(start)
    for (let step = callPath.at(-1); step !== undefined; step = callPath.at(-1)) {
      const next = step.calls.next()
      if (next.done === true) {
        callPath.pop()
        continue
      }
      const { to, place } = next.value
      if (place !== undefined && callPath.some(({ name }) => name === to))
        found.set(step.name, (found.get(step.name) ?? new Map<number, string>()).set(place, to))
      else if (!seen.has(to)) enter(to)
    }
  }
  return found
}

function callsOf(agent: Json | undefined): readonly HandoffCall[] {
  const { sub_agents: children, handoffs } = mappingOf(agent)
  return [
    ...(textList(children ?? [], []) ?? []).map(({ text: to }) => ({ to })),
    ...(textList(handoffs ?? [], []) ?? []).map(({ text: to }, place) => ({ to, place })),
  ]
}

/** Blanks out the handoffs that lead back, so that the indexes of the others stay the same. */
export function withoutReturning(handoffs: Json, back: ReadonlyMap<number, string>): readonly Json[] {
  const names = textList(handoffs, []) ?? []
  return names.map(({ text }, place): Json => (back.has(place) ? '' : text))
}
