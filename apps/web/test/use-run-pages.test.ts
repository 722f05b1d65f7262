import type { RunPage, RunSummary } from '@troupe/headends'
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

describe('the known runs', () => {
  it('keep runs that newer ones push out of the newest page', () => {
    expect(shown(mergeNewest(page('dcb', 'b'), page('fed', 'd')))).toBe('fedcb b')
    expect(shown(mergeNewest(page('dcba'), page('fed', 'd')))).toBe('fedcba end')
  })

  it('begin anew where so many runs came that some in between may be missing', () => {
    expect(shown(mergeNewest(page('cba'), page('hgf', 'f')))).toBe('hgf f')
    expect(shown(mergeNewest(NO_RUNS, page('cb', 'b')))).toBe('cb b')
  })

  it('lose runs of the newest page that do not fit any more', () => {
    expect(shown(mergeNewest(page('dcba'), page('db', 'b')))).toBe('dba end')
    expect(shown(mergeNewest(page('cba'), page('')))).toBe(' end')
  })

  it('grow by older pages, without a run that was listed before', () => {
    expect(shown(mergePage(page('dc', 'c'), 'c', page('ba')))).toBe('dcba end')
    expect(shown(mergePage(page('dc', 'c'), 'c', page('', 'x')))).toBe('dc x')
    expect(shown(mergePage(page('dcb', 'b'), 'c', page('b', 'b')))).toBe('dcb b')
  })

  it('take what a page in their middle says anew', () => {
    const known: RunPage = { runs: [run('d'), run('c', 'running'), run('b'), run('a')] }
    const { runs } = mergePage(known, 'd', { runs: [run('c', 'failed'), run('b')], next: 'b' })
    expect(runs.map(({ runId, state }) => `${runId} ${state}`)).toEqual([
      'd completed',
      'c failed',
      'b completed',
      'a completed',
    ])
  })

  it('say which page to read again for older runs that are open, one after the other', () => {
    const known = {
      runs: [run('e', 'running'), run('d'), run('c', 'running'), run('b'), run('a', 'waiting')],
    }
    expect(findBeforeOpen(known, { newest: 2, from: 0 })).toEqual({ before: 'd', at: 2 })
    expect(findBeforeOpen(known, { newest: 2, from: 3 })).toEqual({ before: 'b', at: 4 })
    expect(findBeforeOpen(known, { newest: 2, from: 5 })).toEqual({ before: 'd', at: 2 })
    expect(findBeforeOpen({ runs: known.runs.slice(0, 2) }, { newest: 2, from: 0 })).toBeUndefined()
  })
})
