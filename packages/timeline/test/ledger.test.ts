import { sampleEvent, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { accountsOf, ledgerOf } from '../src/index.ts'
import { numbered, twoCities } from './two-cities.ts'

describe('ledgerOf', () => {
  it(`ledgerOf has a line for every model call and every tool call, in the order of their ends ${verifies('C54', 'C55')}`, () => {
    const lines = ledgerOf(twoCities()).entries.map((entry) =>
      entry.kind === 'model'
        ? [entry.instance, entry.tokens.input, entry.cost, entry.latencyMs]
        : [entry.instance, entry.toolName, entry.outcome, entry.durationMs, entry.childRunId],
    )
    expect(lines).toEqual([
      ['Time', 100, 0.00003, 40],
      ['New-York[1]', 50, 0.000007, 20],
      ['Time', 'agent__New-York', 'completed', 410, 'child-1'],
      ['London[2]', 60, null, 10],
      ['Time', 'agent__London', 'failed', 105, undefined],
    ])
  })

  it(`ledgerOf sums a run with all runs below it, next to its own part ${verifies('C53')}`, () => {
    const { byInstance, total } = ledgerOf(twoCities())
    expect(byInstance.map((row) => [row.usage.input, row.withChildren.input])).toEqual([
      [100, 210],
      [50, 50],
      [60, 60],
    ])
    expect(byInstance[0]?.withChildren).toEqual(total)
  })

  it('ledgerOf has the same sums as the accounts', () => {
    const { byAgent, total } = ledgerOf(twoCities())
    expect({ byAgent, total }).toEqual({
      byAgent: accountsOf(twoCities()).byAgent,
      total: accountsOf(twoCities()).total,
    })
  })

  it('ledgerOf counts an event once if stored and live events overlap, and no event of another root run', () => {
    const events = twoCities()
    const stranger = { ...sampleEvent('usage', { runId: 'x', rootRunId: 'x' }), seq: 1000 }
    expect(ledgerOf([...events, ...events.slice(3), stranger])).toEqual(ledgerOf(events))
  })

  it('ledgerOf keeps the events of a run whose start is missing', () => {
    const events = numbered([sampleEvent('usage', { runId: 'late', agent: 'Late' })])
    expect(ledgerOf(events)).toMatchObject({ entries: [{ agent: 'Late' }], byInstance: [{ runId: 'late' }] })
  })

  it('ledgerOf is empty without events', () => {
    expect(ledgerOf([])).toMatchObject({ entries: [], byAgent: [], byInstance: [] })
  })
})
