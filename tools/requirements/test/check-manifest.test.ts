import { describe, expect, it } from 'vitest'
import { checkManifest } from '../src/check-manifest.ts'
import type { Requirement } from '../src/requirement.ts'

const RULINGS = [{ id: 'R1', title: 'Isolation', text: 'Fresh sessions.' }]

function requirement(changes: Partial<Requirement>): Requirement {
  return {
    id: 'A1',
    section: 'Goals',
    wording: 'It works.',
    source: 'agents-as-tools',
    status: 'implemented',
    ...changes,
  }
}

function check(requirements: readonly Requirement[], cited: readonly string[]): readonly string[] {
  const files = new Map(cited.map((id) => [id, ['some.test.ts']]))
  return checkManifest({ requirements, rulings: RULINGS }, { files, problems: [] })
}

describe('checkManifest', () => {
  it('checkManifest accepts requirements that are implemented and cited, planned, or waived with a reason', () => {
    const all = [
      requirement({}),
      requirement({ id: 'A2', status: 'planned', milestone: 'later', rulings: ['R1'] }),
      requirement({ id: 'A3', status: 'waived', reason: 'Not possible.' }),
    ]
    expect(check(all, ['A1', 'R1'])).toEqual([])
  })

  it.each<[string, Partial<Requirement>, readonly string[], RegExp]>([
    ['an unknown id', {}, ['A1', 'A9'], /A9 is cited in some\.test\.ts and is not in the manifest/u],
    ['an implemented requirement without a citation', {}, [], /A1 is implemented and no test cites it/u],
    [
      'a cited requirement that is still planned',
      { status: 'planned', milestone: 'x' },
      ['A1'],
      /A1 is planned and/u,
    ],
    ['a cited requirement that is waived', { status: 'waived', reason: 'x' }, ['A1'], /A1 is waived and/u],
    ['a planned requirement without a milestone', { status: 'planned' }, [], /without a milestone/u],
    ['a waived requirement without a reason', { status: 'waived' }, [], /without a reason/u],
    ['an unknown ruling', { rulings: ['R7'] }, ['A1'], /R7, which there is not/u],
    ['the source of another document', { source: 'hooks-and-cards' }, ['A1'], /another document/u],
    ['a gap in the numbers', { id: 'A2' }, ['A2'], /A2 stands where A1 should/u],
  ])('checkManifest reports %s', (_, changes, cited, problem) => {
    const problems = check([requirement(changes)], cited)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(problem)
  })
})
