import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { HostPlan } from '@troupe/host'

/** Meaning of `--agent` in `troupe serve`: cards to load, and agents by name. */
export interface ServedCards {
  readonly cards: readonly string[]
  /** Returns the names of the served agents; `undefined` for all that are not hidden. */
  names(plan: HostPlan): readonly string[] | undefined
}

/**
 * Separates the values of `--agent` into paths, which exist, and names. Adds the paths to the cards to load.
 */
export function servedCards(
  cards: readonly string[],
  agents: readonly string[] | undefined,
  cwd: string,
): ServedCards {
  const isPath = (given: string): boolean => existsSync(resolve(cwd, given))
  const paths = (agents ?? []).filter(isPath)
  const given = [...cards, ...paths]
  return {
    cards: given.length === 0 ? ['.'] : given,
    names: (plan) =>
      agents?.map((agent) => {
        const file = resolve(cwd, agent)
        return plan.agents.find((planned) => resolve(cwd, planned.file) === file)?.name ?? agent
      }),
  }
}
