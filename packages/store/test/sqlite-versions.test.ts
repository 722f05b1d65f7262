import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { tempProject } from '@troupe/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from './support/store-file.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')

/** Of the two roots; the first version knew them only as part of what was told. */
const SESSIONS: Readonly<Record<string, readonly unknown[]>> = {
  'version-1.db': [
    { sessionId: 'session', principal: 'local' },
    { sessionId: 'session', principal: 'local' },
  ],
  'version-2.db': [
    { sessionId: 'talk', principal: 'ann' },
    { sessionId: 'run_quiet', principal: 'local' },
  ],
  'version-3.db': [
    { sessionId: 'talk', principal: 'ann' },
    { sessionId: 'run_quiet', principal: 'local' },
  ],
  'version-4.db': [
    { sessionId: 'talk', principal: 'ann' },
    { sessionId: 'run_quiet', principal: 'local' },
  ],
}

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
  const sessions = (await store.roots()).map(({ session }) => session)
  expect(sessions).toEqual(SESSIONS[name])
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
