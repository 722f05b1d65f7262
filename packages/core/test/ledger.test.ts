import { NO_USAGE, sumUsage, type Usage } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { ledgerOf, type LedgerEntry } from '@troupe/timeline'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { runRandomTree } from './random-tree.ts'

it(
  `the ledger of any run tree equals the sum of the ends of its runs, to the last token ${verifies('C53', 'C54', 'C55', 'A12', 'A89')}`,
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000 }), async (seed) => {
        const { events, result } = await runRandomTree(seed)
        const ledger = ledgerOf(events)
        const ends = events.filter((event) => event.type === 'run-end')
        const root = ends.find((event) => event.runId === 'root')
        expect(ledger.total).toEqual(root?.usage)
        expect(ledger.total).toEqual(result?.usage)
        expect(sumUsage(ledger.entries.map(usageOf))).toEqual(ledger.total)
        expect(sumUsage(ledger.byInstance.map((row) => row.usage))).toEqual(ledger.total)
        const rows = ledger.byAgent.filter(({ usage }) => !isNothing(usage))
        expect(Object.fromEntries(rows.map((row) => [row.agent, row.usage]))).toEqual(root?.byAgent)
        for (const row of ledger.byInstance) {
          const end = ends.find((event) => event.runId === row.runId)
          expect(row).toMatchObject({
            outcome: end?.outcome,
            durationMs: end?.durationMs,
            endedAt: end?.time,
          })
          expect(row.withChildren).toEqual(end?.usage)
        }
      }),
      { numRuns: 80 },
    )
  },
)

function usageOf(entry: LedgerEntry): Usage {
  return entry.kind === 'model' ? entry.tokens : { ...NO_USAGE, toolCalls: 1 }
}

function isNothing(usage: Usage): boolean {
  return usage.modelCalls === 0 && usage.toolCalls === 0
}
