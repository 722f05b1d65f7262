import { join } from 'node:path'
import { readCases, runEvals } from '@troupe/evals'
import { createHost } from '@troupe/host'
import { fakeClock } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'

const FOLDER = join(import.meta.dirname, '..')

describe('the cases of the museum', () => {
  it('most runs of each case pass, and the edited prompt is not better than the prompt', async () => {
    const { files, problems } = readCases('.', FOLDER)
    expect(problems).toEqual([])
    const open = (edited: readonly string[]) => (cards: string) =>
      createHost({ cards: [cards], edited, cwd: FOLDER })
    const result = await runEvals({
      files,
      openTeam: open(['edited/same.md']),
      base: { name: 'desk.md', openTeam: open([]) },
      clock: fakeClock(),
    })
    const { cases, totals } = result.variants[0] ?? { cases: [] }
    expect(cases).toHaveLength(20)
    expect(totals).toMatchObject({ errors: 0 })
    expect(totals?.rate).toBeGreaterThan(0.85)
    expect(result.comparison).toMatchObject({ base: 'desk.md', verdict: 'not distinguishable' })
  })
})
