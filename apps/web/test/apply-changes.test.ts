import type { RunPage, RunSummary } from '@troupe/client'
import { describe, expect, it } from 'vitest'
import { applyChanges } from '../src/runs/apply-changes.ts'

function run(runId: string, startedAt: number, more: Partial<RunSummary> = {}): RunSummary {
  const fields = { agent: 'Lead', state: 'running', sessionId: 's', input: 'hello', detail: 'full' } as const
  return { runId, startedAt, ...fields, ...more }
}

const LOADED: RunPage = { runs: [run('c', 3), run('b', 2)], next: 'b' }

const idsOf = ({ page }: ReturnType<typeof applyChanges>): string =>
  page.runs.map(({ runId }) => runId).join('')

describe('changes of the list of runs', () => {
  it('a changed run is updated in its place, with its whole input', () => {
    const input = 'x'.repeat(600)
    const loaded = { runs: [run('c', 3), run('b', 2, { input })] }
    const { page } = applyChanges(loaded, [run('b', 2, { state: 'failed', input: input.slice(0, 500) })], {})
    expect(page.runs[0]).toBe(loaded.runs[0])
    expect(page.runs[1]).toMatchObject({ state: 'failed', input })
  })

  it('a new run is added where it belongs, but not below the loaded pages', () => {
    expect(idsOf(applyChanges(LOADED, [run('e', 5), run('d', 4)], {}))).toBe('edcb')
    expect(applyChanges(LOADED, [run('a', 1)], {}).page).toBe(LOADED)
    expect(idsOf(applyChanges({ runs: LOADED.runs }, [run('a', 1)], {}))).toBe('cba')
    expect(idsOf(applyChanges({ runs: [] }, [run('a', 1)], {}))).toBe('a')
  })

  it('a run that does not match the filter is neither added nor kept', () => {
    const filter = { agent: 'Lead', state: 'running,queued' }
    expect(idsOf(applyChanges(LOADED, [run('b', 2, { state: 'completed' })], filter))).toBe('c')
    expect(idsOf(applyChanges(LOADED, [run('d', 4, { agent: 'Clerk' })], filter))).toBe('cb')
    expect(idsOf(applyChanges(LOADED, [run('d', 4)], filter))).toBe('dcb')
  })

  it('the list has to be loaded again if only the server knows whether or how a new run is listed', () => {
    expect(applyChanges(LOADED, [run('d', 4)], { q: 'harbour' })).toEqual({ page: LOADED, isStale: true })
    const long = run('d', 4, { input: 'x'.repeat(500) })
    expect(applyChanges(LOADED, [long], {})).toEqual({ page: LOADED, isStale: true })
    expect(applyChanges(LOADED, [run('b', 2)], { q: 'harbour' }).isStale).toBe(false)
  })
})
