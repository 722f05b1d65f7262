import { describe, expect, it } from 'vitest'
import { checkManifest } from '../src/check-manifest.ts'
import { collectCitations } from '../src/citations.ts'
import { readManifest } from '../src/manifest.ts'
import { ROOT, readmeFiles } from '../src/readme-files.ts'

describe('the requirements gate', () => {
  it('finds nothing wrong between the manifest and the tests', async () => {
    expect(checkManifest(await readManifest(), await collectCitations(ROOT))).toEqual([])
  })

  it('finds the status tables up to date', async () => {
    const { requirements } = await readManifest()
    const stale = (await readmeFiles(requirements)).filter((file) => file.text !== file.wanted)
    expect(stale.map((file) => `${file.path}: run pnpm --filter @troupe/requirements status`)).toEqual([])
  })
})
