import { readFileSync, writeFileSync } from 'node:fs'
import { toFailure } from '@troupe/schema'
import { recordFigures, sampleEvent } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import type { SqliteStore } from '../src/index.ts'
import { spoil } from './support/spoil.ts'
import { openStore, openStoreFile } from './support/store-file.ts'

const LONG = 'long '.repeat(10_000)

/** Returns the path of a closed store: `root` has three commits of two events and a step each, `other` has one. */
async function writtenStore(texts: readonly string[] = ['one', 'two', 'three']): Promise<string> {
  const { store, path } = await openStoreFile()
  const log = await store.open('root', 'me')
  for (const text of texts) {
    log.append({
      runId: 'root',
      event: sampleEvent('run-start', { input: text }),
      step: { key: `llm:${text.slice(0, 9)}`, value: { text } },
    })
    log.append({ runId: 'root', event: sampleEvent('turn-end') })
    await log.waitForCommit()
  }
  const other = await store.open('other', 'me')
  other.append({ runId: 'other', event: sampleEvent('run-start') })
  await store.close()
  return path
}

/** Returns the error of a damaged root: its name, the commit, the events, and how to read the rest. */
const damage = (...parts: readonly string[]): object => ({
  code: 'store_corrupt',
  message: expect.toSatisfy((message: string) =>
    ['run root', ...parts].every((part) => message.includes(part)),
  ) as string,
})

/** Reads the root. Returns its contents, or the code of the error. */
async function read(store: SqliteStore): Promise<unknown> {
  try {
    return await store.events('root')
  } catch (thrown) {
    return toFailure(thrown).code
  }
}

async function seqs(store: SqliteStore, range?: Parameters<SqliteStore['events']>[1]): Promise<unknown[]> {
  return (await store.events('root', range)).map(({ seq }) => seq)
}

describe('a damaged text that is still valid JSON', () => {
  it('a damaged event is reported with its run and commit, and other events and runs can be read', async () => {
    const path = await writtenStore()
    spoil(path, `UPDATE pieces SET events = replace(events, 'two', 'owt') WHERE id = 2`)
    const store = await openStore(path)
    await expect(async () => store.events('root')).rejects.toMatchObject(
      damage('commit 2', '(events 3 to 4)'),
    )
    await expect(async () => store.events('root', { after: 3 })).rejects.toMatchObject(damage('(event 4)'))
    await expect(async () => store.events('root')).rejects.toMatchObject({
      failure: { remediation: expect.stringContaining('troupe runs events root --after 4') as string },
    })
    expect(await seqs(store, { limit: 2 })).toEqual([1, 2])
    expect(await seqs(store, { after: 4 })).toEqual([5, 6])
    expect(await store.events('other')).toHaveLength(1)
    expect([...(await store.steps('root', 'root')).keys()]).toEqual(['llm:one', 'llm:two', 'llm:three'])
  })

  it('a damaged step is reported before its run is resumed, and the events can be read', async () => {
    const path = await writtenStore()
    spoil(path, `UPDATE pieces SET steps = replace(steps, 'two', 'owt') WHERE id = 2`)
    const store = await openStore(path)
    await expect(async () => store.steps('root', 'root')).rejects.toMatchObject(damage('commit 2', '(steps)'))
    const log = await store.open('root', 'me')
    await expect(async () => log.steps('root')).rejects.toMatchObject(damage('commit 2', '(steps)'))
    expect(await seqs(store)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('a damaged long text, which is stored outside its commit, is reported', async () => {
    const path = await writtenStore(['one', LONG])
    spoil(path, `UPDATE blobs SET text = replace(text, 'long long', 'lone lone')`)
    const store = await openStore(path)
    await expect(async () => store.events('root')).rejects.toMatchObject(
      damage('commit 2', '(events 3 to 4)'),
    )
    await expect(async () => store.steps('root', 'root')).rejects.toMatchObject(damage('commit 2'))
  })

  it('a missing long text is reported', async () => {
    const path = await writtenStore(['one', LONG])
    spoil(path, 'DELETE FROM blobs')
    const store = await openStore(path)
    await expect(async () => store.events('root')).rejects.toMatchObject(damage('commit 2'))
  })
})

it('no changed byte of stored data goes unreported', async ({ task }) => {
  const path = await writtenStore(['one'])
  const whole = readFileSync(path)
  const start = whole.lastIndexOf('[{"', whole.indexOf('"input":"one"'))
  const end = whole.indexOf('}]', start)
  const found: unknown[] = []
  for (let at = start; at < end; at += 11) {
    const spoilt = Buffer.from(whole)
    spoilt[at] = (whole[at] ?? 0) ^ (1 << (at % 8))
    writeFileSync(path, spoilt)
    const store = await openStore(path)
    found.push(await read(store))
    await store.close()
  }
  expect(found.length).toBeGreaterThan(20)
  expect(found).toEqual(found.map(() => 'store_corrupt'))
  recordFigures(task, { 'stores with a changed byte': found.length })
})

describe('a damaged commit', () => {
  it.each([
    ['in the middle', 2, '(events 3 to 4)'],
    ['at the end', 3, '(events 5 to 6)'],
  ])('a commit that is missing %s is reported', async (_where, id, events) => {
    const path = await writtenStore()
    spoil(path, 'DELETE FROM pieces WHERE id = ?', id)
    const store = await openStore(path)
    await expect(async () => store.events('root')).rejects.toMatchObject(
      damage('a commit is missing', events),
    )
  })

  it('a commit that moved to another run is reported in both', async () => {
    const path = await writtenStore()
    spoil(path, `UPDATE pieces SET root = (SELECT id FROM roots WHERE root_run_id = 'other') WHERE id = 2`)
    const store = await openStore(path)
    await expect(async () => store.events('root')).rejects.toMatchObject(damage('a commit is missing'))
    await expect(async () => store.events('other')).rejects.toMatchObject({ code: 'store_corrupt' })
  })

  it('a commit of a version without checksums is read unchanged, and reported if it is not valid JSON', async () => {
    const path = await writtenStore()
    spoil(path, 'UPDATE pieces SET events_sum = NULL, steps_sum = NULL')
    const store = await openStore(path)
    expect(await seqs(store)).toEqual([1, 2, 3, 4, 5, 6])
    spoil(path, `UPDATE pieces SET events = '[{"type":' WHERE id = 3`)
    await expect(async () => store.events('root')).rejects.toMatchObject(
      damage('commit 3', '(events 5 to 6)'),
    )
  })
})

it('a damaged run can be deleted like any other', async () => {
  const path = await writtenStore()
  spoil(path, `UPDATE pieces SET events = '[]' WHERE id = 2`)
  const store = await openStore(path)
  expect(await store.purge(['root'])).toBe(1)
  expect((await store.roots()).map(({ rootRunId }) => rootRunId)).toEqual(['other'])
})
