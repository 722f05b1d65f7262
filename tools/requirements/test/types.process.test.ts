import { describe, expect, it } from 'vitest'
import { readMutants } from '../src/mutants/mutant.ts'
import { runMutants } from '../src/mutants/run-mutants.ts'
import { ROOT } from '../src/readme-files.ts'

describe('the requirements that only types prove', () => {
  it('the type checker reports an error in a citing test for each mutant of a type', async () => {
    const { mutants } = await readMutants()
    const ofTypes = mutants.filter(({ by }) => by === 'tsc')
    const results = await runMutants(ofTypes, { repository: ROOT, maxWorkers: 1 })
    const verdicts = results.map(({ mutant, verdict }) => `${mutant.id} ${verdict}`)
    expect(verdicts).toEqual(ofTypes.map(({ id }) => `${id} killed`))
    expect(ofTypes.length).toBeGreaterThan(0)
  }, 600_000)
})
