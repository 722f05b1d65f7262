import type { Team } from './collect-team.ts'

type TeamMembers = Team['members']

/** Returns every cycle of calls once, as a list of names that ends with its first name. */
export function findCycles(members: TeamMembers): readonly (readonly string[])[] {
  const cycles: (readonly string[])[] = []
  const finished = new Set<string>()
  const visit = (name: string, path: readonly string[]): void => {
    const at = path.indexOf(name)
    if (at !== -1) {
      cycles.push([...path.slice(at), name])
      return
    }
    if (finished.has(name)) return
    for (const child of members.get(name)?.children ?? []) visit(child, [...path, name])
    finished.add(name)
  }
  for (const name of members.keys()) visit(name, [])
  return cycles
}

/** Returns the agent and all agents it can reach, breadth first. */
export function reachableFrom(members: TeamMembers, name: string): readonly string[] {
  const reached = new Set<string>()
  const waiting = [name]
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    if (reached.has(at)) continue
    reached.add(at)
    waiting.push(...(members.get(at)?.children ?? []))
  }
  return [...reached]
}

/**
 * Returns the length of the longest path below each agent: 0 without children. An agent in a cycle is counted
 * once.
 */
export function heights(members: TeamMembers): ReadonlyMap<string, number> {
  const known = new Map<string, number>()
  const heightOf = (name: string, above: ReadonlySet<string>): number => {
    const height = known.get(name)
    if (height !== undefined) return height
    const all = members.get(name)?.children ?? []
    const path = all.length === 0 ? above : new Set([...above, name])
    const children = all.filter((child) => !path.has(child))
    const own = children.reduce((most, child) => Math.max(most, heightOf(child, path) + 1), 0)
    known.set(name, own)
    return own
  }
  for (const name of members.keys()) heightOf(name, new Set())
  return known
}
