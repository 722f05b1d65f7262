import { sumUsage, type Account, type Usage } from '@troupe/schema'

/** The account of one run: its own usage and that of everything below it, by agent name. */
export interface RunAccount extends Account {
  total(): Usage
  /** Each agent's own part; the rows sum to `total()` (A12). */
  byAgent(): Readonly<Record<string, Usage>>
  unpriced(): readonly string[]
}

/** An account whose entries also reach `above` at once, so that nothing is lost however a run ends (A21). */
export function createAccount(above?: Account): RunAccount {
  const rows = new Map<string, Row>()
  const unpriced = new Set<string>()
  return {
    add: (agent, usage, unpricedModel) => {
      const row = rows.get(agent)
      if (row === undefined) rows.set(agent, { ...usage })
      else increase(row, usage)
      if (unpricedModel !== undefined) unpriced.add(unpricedModel)
      above?.add(agent, usage, unpricedModel)
    },
    total: () => sumUsage(rows.values()),
    byAgent: () => Object.fromEntries(Array.from(rows, ([agent, row]) => [agent, { ...row }])),
    unpriced: () => [...unpriced],
  }
}

type Row = { -readonly [K in keyof Usage]: Usage[K] }

/** In place: every call of every run below comes here once for each level above it. */
function increase(row: Row, usage: Usage): void {
  row.input += usage.input
  row.output += usage.output
  row.cacheRead += usage.cacheRead
  row.cacheWrite += usage.cacheWrite
  row.reasoning += usage.reasoning
  row.micros += usage.micros
  row.modelCalls += usage.modelCalls
  row.toolCalls += usage.toolCalls
  row.unpriced += usage.unpriced
  row.estimated += usage.estimated
}
