import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { readCards } from './cards.ts'
import { CORPUS_DIALECTS, corpusFiles, corpusPath, explained } from './corpus.ts'

/** Files that are rejected with these errors and contain no agent. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'elsewhere.md': ['card_unsupported'],
  'remote.md': ['card_unsupported'],
  'address.md': ['card_unsupported'],
  'managed.md': ['card_unsupported'],
  'rest.ai': ['card_unsupported', 'card_unsupported'],
  'misspelt.ai': ['card_unknown_key'],
}

describe.each(CORPUS_DIALECTS)('the corpus of %s', (dialect) => {
  const files = corpusFiles(dialect)

  it('the corpus has at least ten files', () => {
    expect(files.length).toBeGreaterThanOrEqual(10)
  })

  it.each(files)(`every field of a corpus file is explained: %s ${verifies('R4')}`, async (file) => {
    await expect(explained(dialect, file)).toMatchFileSnapshot(`explained/${dialect}/${file}.txt`)
  })

  it.each(files)('a corpus file is read in its format: %s', (file) => {
    for (const card of readCards(corpusPath(dialect, file))) {
      expect(card.dialect).toBe(dialect)
      const errors = card.problems.filter(({ severity }) => severity === 'error').map(({ code }) => code)
      const expected = Object.entries(REFUSED).find(([name]) => file.endsWith(name))?.[1] ?? []
      expect(errors.filter((code) => code !== 'card_no_instruction')).toEqual(expected)
    }
  })
})
