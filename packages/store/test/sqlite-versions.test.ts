import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { tempProject } from '@troupe/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from './support/store-file.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')

// a file of each version there has been: a later release must go on with all of them
it.each(readdirSync(FIXTURES))('%s is read and written by this version', async (name) => {
  const project = await tempProject()
  onTestFinished(() => project.remove())
  const path = join(project.path, name)
  copyFileSync(join(FIXTURES, name), path)
  const store = await openStore(path)
  expect(await store.roots()).toMatchObject([
    { rootRunId: 'run_kept', open: false, lastSeq: 3, detail: 'full' },
    { rootRunId: 'run_quiet', open: false, lastSeq: 1, detail: 'metadata' },
  ])
  const events = await store.events('run_kept')
  expect(events.map(({ type, seq }) => [seq, type])).toEqual([
    [1, 'run-start'],
    [2, 'tool-call'],
    [3, 'run-end'],
  ])
  expect(events[1]).toMatchObject({ args: { text: 'long '.repeat(10_000) } })
  expect(Object.fromEntries(await store.steps('run_kept', 'run_kept'))).toEqual({
    begin: { input: 'go' },
    end: { outcome: 'completed' },
  })
  const log = await store.open('run_kept', 'me')
  await log.close()
})
