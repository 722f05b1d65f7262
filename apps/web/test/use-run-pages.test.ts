import type { RunPage, RunSummary } from '@troupe/client'
import { describe, expect, it } from 'vitest'
import { findBeforeOpen, mergeNewest, mergePage, NO_RUNS } from '../src/runs/use-run-pages.ts'

function run(runId: string, state: RunSummary['state'] = 'completed'): RunSummary {
  return { runId, state, agent: 'Lead', sessionId: 's', startedAt: 0, input: 'hello', detail: 'full' }
}

const page = (ids: string, next?: string): RunPage => {
  const runs = Array.from(ids, (id) => run(id))
  return next === undefined ? { runs } : { runs, next }
}

const shown = ({ runs, next }: RunPage): string =>
  `${runs.map(({ runId }) => runId).join('')} ${next ?? 'end'}`

describe('list of known runs', () => {
  it('the list keeps runs that newer ones push out of the newest page', () => {
    expect(shown(mergeNewest(page('dcb', 'b'), page('fed', 'd')))).toBe('fedcb b')
    expect(shown(mergeNewest(page('dcba'), page('fed', 'd')))).toBe('fedcba end')
  })

  it('the list restarts if so many runs arrived that some in between may be missing', () => {
    expect(shown(mergeNewest(page('cba'), page('hgf', 'f')))).toBe('hgf f')
    expect(shown(mergeNewest(NO_RUNS, page('cb', 'b')))).toBe('cb b')
  })

  it('the list removes runs of the newest page that no longer match', () => {
    expect(shown(mergeNewest(page('dcba'), page('db', 'b')))).toBe('dba end')
    expect(shown(mergeNewest(page('cba'), page('')))).toBe(' end')
  })

  it('older pages extend the list without duplicates', () => {
    expect(shown(mergePage(page('dc', 'c'), 'c', page('ba')))).toBe('dcba end')
    expect(shown(mergePage(page('dc', 'c'), 'c', page('', 'x')))).toBe('dc x')
    expect(shown(mergePage(page('dcb', 'b'), 'c', page('b', 'b')))).toBe('dcb b')
  })

  it('a page read again updates its runs in the list', () => {
    const known: RunPage = { runs: [run('d'), run('c', 'running'), run('b'), run('a')] }
    const { runs } = mergePage(known, 'd', { runs: [run('c', 'failed'), run('b')], next: 'b' })
    expect(runs.map(({ runId, state }) => `${runId} ${state}`)).toEqual([
      'd completed',
      'c failed',
      'b completed',
      'a completed',
    ])
  })

  it('the list names the page to read again for older open runs, one after the other', () => {
    const known = {
      runs: [run('e', 'running'), run('d'), run('c', 'running'), run('b'), run('a', 'waiting')],
    }
    expect(findBeforeOpen(known, 2)).toEqual({ before: 'd', at: 2 })
    expect(findBeforeOpen(known, 3)).toEqual({ before: 'b', at: 4 })
    expect(findBeforeOpen(known, 5)).toBeUndefined()
  })
})
