import { DatabaseSync } from 'node:sqlite'
import type { RootRunQuery } from '@troupe/schema/ports'
import { expect, it } from 'vitest'
import { selectRootRuns } from '../src/sqlite/root-run-list.ts'
import { openStore, openStoreFile } from './support/store-file.ts'

const RUNS = 100_000

/** Writes 100,000 ended roots of two principals, and one of each kind that a search must find among them. */
async function largeStore(): Promise<string> {
  const { store, path } = await openStoreFile()
  await store.close()
  const database = new DatabaseSync(path)
  database.exec('BEGIN')
  const insert = database.prepare(
    `INSERT INTO roots (root_run_id, detail, last_seq, changed_at, session, principal, agent, outcome, asked, search)
     VALUES (?, 'full', 2, ?, ?, ?, ?, ?, ?, ?)`,
  )
  for (let run = 1; run <= RUNS; run += 1) {
    const principal = run % 10 === 0 ? 'bob' : 'ann'
    const [agent, outcome, asked] = run === 3 ? ['Rare', null, 1] : ['Lead', 'completed', 0]
    const words = run === 7 ? 'the needle' : 'count the ships in the harbour'
    const session = run === 11 ? 'oldest' : `s${run}`
    insert.run(`run_${run}`, run, session, principal, agent, outcome, asked, `${words}\nlead\nrun_${run}`)
  }
  database.exec('COMMIT')
  database.close()
  return path
}

it('a list of 100,000 runs finds the oldest by every condition, page by page, without blocking the event loop', async () => {
  const store = await openStore(await largeStore())
  const ids = async (query: Partial<RootRunQuery>): Promise<readonly string[]> =>
    (await store.list({ principal: 'ann', limit: 50, ...query })).map(({ rootRunId }) => rootRunId)
  expect((await ids({ limit: 3 })).join()).toBe('run_99999,run_99998,run_99997')
  expect(await ids({ before: 'run_4' })).toEqual(['run_3', 'run_2', 'run_1'])
  expect(await ids({ agent: 'Rare' })).toEqual(['run_3'])
  expect(await ids({ outcomes: ['none'], hasApprovalRequests: true })).toEqual(['run_3'])
  expect(await ids({ outcomes: ['failed', 'none'] })).toEqual(['run_3'])
  expect(await ids({ sessionId: 'oldest' })).toEqual(['run_11'])
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  expect(await ids({ text: 'Needle' })).toEqual(['run_7'])
  isDone = true
  expect(turns).toBeGreaterThan(5)
  const stop = new AbortController()
  const search = store.list({ principal: 'ann', limit: 50, text: 'needle', signal: stop.signal })
  stop.abort()
  await expect(search).rejects.toMatchObject({ name: 'AbortError' })
})

it('every condition of a list is answered by an index, in the order of the index', async () => {
  const { store, path } = await openStoreFile()
  await store.close()
  const database = new DatabaseSync(path)
  const queries: readonly Partial<RootRunQuery>[] = [
    { principal: 'ann' },
    { principal: 'ann', sessionId: 's' },
    { principal: 'ann', agent: 'Lead' },
    { principal: 'ann', outcomes: ['none'], hasApprovalRequests: true },
    { principal: 'ann', outcomes: ['completed'] },
    { principal: 'ann', text: 'needle' },
  ]
  for (const query of queries) {
    const { sql, values } = selectRootRuns({ limit: 50, ...query })
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values, 100_000, 0, 50)
    const steps = plan.map(({ detail }) => String(detail)).join('; ')
    expect(steps).toMatch(/^SEARCH roots USING INDEX roots_by_\w+ \(principal=\?/u)
    expect(steps).not.toContain('TEMP B-TREE')
  }
  database.close()
})
