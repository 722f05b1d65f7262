import { describe, expect, it } from 'vitest'
import { checkMutants } from '../src/mutants/check-mutants.ts'
import { mutate, type Mutant } from '../src/mutants/mutant.ts'
import { citationPattern } from '../src/mutants/test-session.ts'
import { ROOT } from '../src/readme-files.ts'

const FILE = 'tools/requirements/test/mutants.test.ts'
/** Joined at run time, because this file is the one that is searched. */
const ABSENT = ['no', 'such', 'text'].join(' ')
const PRESENT = ['the one text', 'that stands here once'].join(' ')

const mutant = (changes: Partial<Mutant> = {}): Mutant => ({
  id: 'A1',
  file: FILE,
  find: PRESENT,
  replace: 'another',
  tests: ['x.test.ts'],
  ...changes,
})

describe('a mutation', () => {
  it('a mutation inserts its text literally, without replacement patterns', () => {
    expect(mutate('a b c', mutant({ find: 'b', replace: '$&$1' }))).toBe('a $&$1 c')
  })

  it.each(['a', 'z'])('a mutation is rejected if its text does not occur exactly once: %s', (find) => {
    expect(() => mutate('a b a', mutant({ find }))).toThrow(RangeError)
  })
})

describe('the check of the mutants', () => {
  const citations = { files: new Map([['A1', ['x.test.ts']]]), problems: [] }
  const check = (...mutants: readonly Mutant[]): Promise<readonly string[]> =>
    checkMutants(
      { mutants, exemptions: [{ id: 'A2', none: 'it is a wish' }] },
      { ids: ['A1', 'A2'], citations, root: ROOT },
    )

  it('checkMutants accepts a text that occurs once and tests that cite the id: the one text that stands here once', async () => {
    expect(await check(mutant())).toEqual([])
  })

  it('checkMutants reports missing texts, files and citations', async () => {
    const wrong = [
      mutant({ find: ABSENT }),
      mutant({ file: 'no-such-file.ts' }),
      mutant({ tests: ['other.test.ts'] }),
      mutant({ id: 'A2', tests: ['x.test.ts'] }),
      mutant({ id: 'A3', tests: [] }),
    ]
    expect(await check(...wrong)).toEqual([
      'A3 has a mutant and is not in the manifest.',
      'A2 has both a mutant and a reason why there can be none.',
      `A1: "${ABSENT}" occurs 0 times in ${FILE}.`,
      'A1: there is no file no-such-file.ts.',
      'A1 has a mutant for other.test.ts, which does not cite it.',
      'A2 has a mutant for x.test.ts, which does not cite it.',
    ])
  })
})

it('citationPattern matches an id among others and no id that only begins like it', () => {
  const pattern = citationPattern(['A1', 'B2'])
  expect(['x [A1]', 'x [A9 B2 C3]', 'x [A1 A2]'].every((title) => pattern.test(title))).toBe(true)
  expect(['x [A12]', 'x A1', 'x [a A1]', 'x [A9 B22]'].some((title) => pattern.test(title))).toBe(false)
})
