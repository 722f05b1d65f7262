import { addUsage, NO_USAGE, sumUsage, type Account, type Usage } from '@troupe/schema'

/** The account of one run: its own usage and that of everything below it, by agent name. */
export interface RunAccount extends Account {
  total(): Usage
  /** Each agent's own part; the rows sum to `total()` (A12). */
  byAgent(): Readonly<Record<string, Usage>>
  unpriced(): readonly string[]
}

/** An account whose entries also reach `above` at once, so that nothing is lost however a run ends (A21). */
export function createAccount(above?: Account): RunAccount {
  const rows = new Map<string, Usage>()
  const unpriced = new Set<string>()
  return {
    add: (agent, usage, unpricedModel) => {
      rows.set(agent, addUsage(rows.get(agent) ?? NO_USAGE, usage))
      if (unpricedModel !== undefined) unpriced.add(unpricedModel)
      above?.add(agent, usage, unpricedModel)
    },
    total: () => sumUsage(rows.values()),
    byAgent: () => Object.fromEntries(rows),
    unpriced: () => [...unpriced],
  }
}
