import { createHash } from 'node:crypto'
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RootRunQuery } from '@troupe/schema/ports'
import { tempProject } from '@troupe/testkit/internal'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from './support/store-file.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')

/** The sessions of the two roots; the first version derived them from events alone. */
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
  'version-5.db': [
    { sessionId: 'talk', principal: 'ann' },
    { sessionId: 'run_quiet', principal: 'local' },
  ],
}

// one file of each released version: later versions must read and write all of them
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

it.each(readdirSync(FIXTURES))(
  'the runs of %s are listed by agent, outcome and search text',
  async (name) => {
    const project = await tempProject()
    onTestFinished(() => project.remove())
    const path = join(project.path, name)
    copyFileSync(join(FIXTURES, name), path)
    const store = await openStore(path)
    const ids = async (query: Omit<RootRunQuery, 'limit'>): Promise<readonly string[]> =>
      (await store.list({ limit: 10, ...query })).map(({ rootRunId }) => rootRunId)
    expect(await ids({ agent: 'Agent' })).toContain('run_kept')
    expect(await ids({ agent: 'agent' })).toEqual([])
    expect(await ids({ outcomes: ['completed'] })).toEqual(['run_kept'])
    expect(await ids({ outcomes: ['none'] })).toEqual(['run_quiet'])
    expect(await ids({ text: 'GO' })).toEqual(['run_kept'])
    expect(await ids({ hasApprovalRequests: true })).toEqual([])
  },
)

it('a store of version 4 with damaged and long events is migrated with everything that can be read', async () => {
  const project = await tempProject()
  onTestFinished(() => project.remove())
  const path = join(project.path, 'runs.db')
  copyFileSync(join(FIXTURES, 'version-4.db'), path)
  const start = { type: 'run-start', agent: 'Lead', time: 1, depth: 0, instance: 'Lead' }
  const ask = { type: 'approval-request', runId: 'run_asks', rootRunId: 'run_asks', approvalId: 'a' }
  const long = JSON.stringify(`Ships ${'x'.repeat(40_000)}`)
  const roots: readonly (readonly [string, string])[] = [
    ['run_damaged', '[{"type":"run-start"'],
    ['run_asks', JSON.stringify([{ ...start, runId: 'run_asks', rootRunId: 'run_asks', input: 'Ask' }, ask])],
    [
      'run_long',
      JSON.stringify([
        { ...start, runId: 'run_long', rootRunId: 'run_long', input: '\u0000blob:hash' },
      ]).replace('blob:hash', `blob:${createHash('sha256').update(long).digest('hex')}`),
    ],
  ]
  const database = new DatabaseSync(path)
  database
    .prepare('INSERT INTO blobs VALUES (?, ?)')
    .run(createHash('sha256').update(long).digest('hex'), long)
  for (const [id, events] of roots) {
    const insert = database.prepare(
      `INSERT INTO roots (root_run_id, detail, last_seq, changed_at, session, principal) VALUES (?, 'full', 1, 1, 's', 'ann')`,
    )
    const { lastInsertRowid: root } = insert.run(id)
    database
      .prepare(
        'INSERT INTO pieces (root, last_seq, events, events_have_blobs, steps_have_blobs) VALUES (?, 1, ?, ?, 0)',
      )
      .run(root, events, id === 'run_long' ? 1 : 0)
  }
  database.close()
  const store = await openStore(path)
  const ids = async (query: Omit<RootRunQuery, 'limit'>): Promise<readonly string[]> =>
    (await store.list({ limit: 10, principal: 'ann', ...query })).map(({ rootRunId }) => rootRunId)
  expect(await ids({})).toEqual(['run_long', 'run_asks', 'run_damaged', 'run_kept'])
  expect(await ids({ agent: 'Lead' })).toEqual(['run_long', 'run_asks'])
  expect(await ids({ text: 'ships' })).toEqual(['run_long'])
  expect(await ids({ hasApprovalRequests: true, outcomes: ['none'] })).toEqual(['run_asks'])
})
