import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { project } from '@troupe/tooling/vitest'

/** `BROWSER_FILES=3 SEED=7` runs three files, others for each seed. Without `BROWSER_FILES`, all run. */
const { BROWSER_FILES, SEED = '' } = process.env
const rank = (file: string): string => createHash('sha256').update(`${SEED} ${file}`).digest('hex')
const files = globSync('test/*.test.ts', { cwd: import.meta.dirname })

export default project('browser', {
  globalSetup: ['test/support/build-page.ts'],
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // one file at a time, after the tests of other projects, because a busy machine delays what a page shows
  maxWorkers: 1,
  sequence: { groupOrder: 1 },
  ...(BROWSER_FILES === undefined
    ? {}
    : { include: files.toSorted((a, b) => rank(a).localeCompare(rank(b))).slice(0, Number(BROWSER_FILES)) }),
})
