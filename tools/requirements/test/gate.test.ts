import { describe, expect, it } from 'vitest'
import { checkManifest } from '../src/check-manifest.ts'
import { collectCitations } from '../src/citations.ts'
import { readManifest } from '../src/manifest.ts'
import { checkMutants } from '../src/mutants/check-mutants.ts'
import { readMutants } from '../src/mutants/mutant.ts'
import { ROOT, readmeFiles } from '../src/readme-files.ts'

describe('the requirements gate', () => {
  it('the manifest and the tests agree', async () => {
    expect(checkManifest(await readManifest(), await collectCitations(ROOT))).toEqual([])
  })

  it('every mutant applies to its file and names tests that cite its id', async () => {
    const { requirements, rulings } = await readManifest()
    const ids = [...requirements, ...rulings].map(({ id }) => id)
    expect(
      await checkMutants(await readMutants(), { ids, citations: await collectCitations(ROOT), root: ROOT }),
    ).toEqual([])
  })

  it('the status tables are up to date', async () => {
    const { requirements } = await readManifest()
    const stale = (await readmeFiles(requirements, await readMutants())).filter(
      (file) => file.text !== file.wanted,
    )
    expect(stale.map((file) => `${file.path}: run pnpm --filter @troupe/requirements status`)).toEqual([])
  })
})
