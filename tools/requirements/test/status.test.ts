import { describe, expect, it } from 'vitest'
import type { Requirement } from '../src/requirement.ts'
import { replaceTable, statusDetails, statusSummary } from '../src/status-table.ts'
import { updateStatus } from '../src/update-status.ts'

const CITED = { files: new Map([['A1', ['x.test.ts']]]), problems: [] }

function requirement(changes: Partial<Requirement>): Requirement {
  return {
    id: 'A1',
    section: 'Goals',
    wording: 'a | b',
    source: 'agents-as-tools',
    status: 'implemented',
    ...changes,
  }
}

describe('updateStatus', () => {
  it('updateStatus marks cited requirements as implemented, without milestone and reason', () => {
    const planned = requirement({ status: 'planned', milestone: 'later', tags: ['future'] })
    expect(updateStatus([planned], CITED, 'lost')).toEqual([requirement({ tags: ['future'] })])
    expect(updateStatus([requirement({ status: 'waived', reason: 'no' })], CITED, 'lost')).toEqual([
      requirement({}),
    ])
  })

  it('updateStatus plans requirements again that lost their last test, and leaves the others unchanged', () => {
    const lost = requirement({ id: 'A2' })
    const waived = requirement({ id: 'A3', status: 'waived', reason: 'no' })
    expect(updateStatus([lost, waived], CITED, 'lost')).toEqual([
      { ...lost, status: 'planned', milestone: 'lost' },
      waived,
    ])
  })
})

describe('the status table', () => {
  const all = [
    requirement({}),
    requirement({ id: 'A2', status: 'planned', milestone: 'later' }),
    requirement({ id: 'D1', source: 'meta-mcp-tool-editor', status: 'waived', reason: 'no' }),
  ]

  const mutants = {
    mutants: [
      { id: 'A1', file: 'x.ts', find: 'a', replace: 'b', tests: ['x.test.ts'] },
      { id: 'A1', file: 'x.ts', find: 'c', replace: 'd', tests: ['x.test.ts'] },
    ],
    exemptions: [{ id: 'A2', none: 'it is a wish' }],
  }

  it('the status table has counts by document and milestone', () => {
    expect(statusSummary(all, mutants).split('\n')).toEqual([
      '| document | requirements | implemented | planned | waived | proved by a mutant | no mutant possible |',
      '|---|---|---|---|---|---|---|',
      '| agents-as-tools | 2 | 1 | 1 | 0 | 1 | 1 |',
      '| hooks-and-cards | 0 | 0 | 0 | 0 | 0 | 0 |',
      '| in-memory-multi-agent | 0 | 0 | 0 | 0 | 0 | 0 |',
      '| meta-mcp-tool-editor | 1 | 0 | 0 | 1 | 0 | 0 |',
      '| all | 3 | 1 | 1 | 1 | 1 | 1 |',
      '',
      'Planned: later (1).',
    ])
  })

  it('the status table lists every requirement', () => {
    expect(statusDetails(all, mutants).split('\n').slice(2)).toEqual([
      String.raw`| A1 | a \| b | implemented | yes |`,
      String.raw`| A2 | a \| b | planned: later | none possible: it is a wish |`,
      String.raw`| D1 | a \| b | waived: no | no |`,
    ])
  })

  it('the status table is inserted only between its markers', () => {
    const text = 'before\n<!-- requirements:start -->\nold\n<!-- requirements:end -->\nafter'
    expect(replaceTable(text, 'new')).toBe(
      'before\n<!-- requirements:start -->\nnew\n<!-- requirements:end -->\nafter',
    )
    expect(replaceTable('no markers', 'new')).toBeUndefined()
  })
})
