import { describe, expect, it } from 'vitest'
import { readMutants } from '../src/mutants/mutant.ts'
import { runMutants } from '../src/mutants/run-mutants.ts'
import { ROOT } from '../src/readme-files.ts'

/** The number of mutants in a sample that changes with each run. `pnpm mutants` checks them all. */
const SAMPLE = 1

describe('the requirements that only types prove', () => {
  it('the type checker reports an error in a citing test for a mutant of a type', async () => {
    const { mutants } = await readMutants()
    const all = mutants.filter(({ by }) => by === 'tsc')
    const first = Date.now() % all.length
    const ofTypes = [...all, ...all].slice(first, first + SAMPLE)
    const results = await runMutants(ofTypes, { repository: ROOT, maxWorkers: 1 })
    const verdicts = results.map(({ mutant, verdict }) => `${mutant.id} ${verdict}`)
    expect(verdicts).toEqual(ofTypes.map(({ id }) => `${id} killed`))
    expect(ofTypes.length).toBeGreaterThan(0)
  }, 600_000)
})
