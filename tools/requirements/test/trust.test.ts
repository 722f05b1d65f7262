import { readFile } from 'node:fs/promises'
import { updateFigures, type Figure } from '@troupe/tooling/check/figures'
import { expect, it } from 'vitest'
import { mutantKey, updateVerdicts } from '../src/mutants/recorded-verdicts.ts'
import { readTrustData, trustProblems, type TrustData } from '../src/trust/trust-data.ts'
import { TRUST_PAGE } from '../src/trust/trust-files.ts'
import { trustPage } from '../src/trust/trust-page.ts'

const MUTANT = { id: 'A1', file: 'a.ts', find: 'one', replace: 'two', tests: ['a.test.ts'] }
const DATA: TrustData = {
  guarantees: [{ title: 'It holds', text: 'It does.', requirements: ['A1'], tests: ['b.test.ts'] }],
  citations: { files: new Map([['A1', ['a.test.ts']]]), problems: [] },
  mutants: [MUTANT],
  verdicts: { [mutantKey(MUTANT)]: 'killed' },
  figures: [],
}

it('the trust page is the one that its data generates, and its data names requirements and tests that exist', async () => {
  const data = await readTrustData()
  expect(await trustProblems(data)).toEqual([])
  const page = await readFile(TRUST_PAGE, 'utf8')
  expect(page, 'run `pnpm trust`').toBe(trustPage(data))
})

it('the trust page counts requirements, test files and killed mutants of a guarantee', () => {
  expect(trustPage(DATA)).toContain('| [It holds](#it-holds) | 1 | 2 | 1 of 1 |')
  const changed = { ...MUTANT, replace: 'three' }
  expect(trustPage({ ...DATA, mutants: [changed] })).toContain('| [It holds](#it-holds) | 1 | 2 | 0 of 1 |')
})

it('the data of the trust page is rejected if a requirement, a citation or a test file is missing', async () => {
  const guarantees = [
    { title: 'One', text: 'One.', requirements: ['A1', 'A2', 'Z9'], tests: ['no-such.test.ts'] },
    { title: 'Two', text: 'Two.', requirements: [], tests: [] },
  ]
  expect(await trustProblems({ ...DATA, guarantees })).toEqual([
    'No test cites the requirement A2.',
    'The requirement Z9 is not in the manifest.',
    'Nothing proves "Two".',
    'There is no test file no-such.test.ts.',
  ])
})

it('a verdict replaces the earlier one of its mutant, and verdicts on mutants that changed are removed', () => {
  const other = { ...MUTANT, id: 'A2' }
  const earlier = updateVerdicts({}, [{ mutant: MUTANT, verdict: 'survived' }], [MUTANT, other])
  const now = updateVerdicts(earlier, [{ mutant: MUTANT, verdict: 'killed' }], [MUTANT, other])
  expect(now).toEqual({ [mutantKey(MUTANT)]: 'killed' })
  expect(updateVerdicts(now, [], [{ ...MUTANT, find: 'another' }])).toEqual({})
})

it('a figure replaces the earlier one of its name', () => {
  const figure = (value: number, name = 'crashes'): Figure => ({
    name,
    value,
    date: '2026-11-28',
    test: 'a.test.ts',
  })
  expect(updateFigures([figure(1), figure(2, 'others')], [figure(3)])).toEqual([
    figure(3),
    figure(2, 'others'),
  ])
})
