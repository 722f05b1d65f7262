import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { getuid } from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import { sampleEvent, settle } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { openStore, openStoreFile } from './support/store-file.ts'

const entry = (text = 'x') => ({ runId: 'run', event: sampleEvent('run-start', { input: text }) })

describe('the SQLite file of a store', () => {
  it('the SQLite store keeps committed entries when it is reopened', async () => {
    const { store, path } = await openStoreFile()
    const log = await store.open('root', 'me')
    log.append({ ...entry(), step: { key: 'begin', value: { n: 1 } } })
    await store.close()
    const again = await openStore(path)
    expect(await again.events('root')).toMatchObject([{ type: 'run-start', seq: 1 }])
    expect((await again.steps('root', 'run')).get('begin')).toEqual({ n: 1 })
  })

  it('the SQLite store is readable by its user only, including the files next to it', async () => {
    const { store, path } = await openStoreFile()
    const log = await store.open('root', 'me')
    log.append(entry())
    await log.waitForCommit()
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  })

  it('the SQLite store stores a repeated long text once', async () => {
    const { store, path } = await openStoreFile()
    const text = 'x'.repeat(100_000)
    const log = await store.open('root', 'me')
    for (let index = 0; index < 10; index += 1)
      log.append({ ...entry(text), step: { key: `llm:${index}`, value: text } })
    await store.close()
    expect(statSync(path).size).toBeLessThan(300_000)
  })

  it('the SQLite store returns a text that looks like a reference to a long one unchanged', async () => {
    const { store } = await openStoreFile()
    const texts = ['\u0000blob:forged', 'x'.repeat(100_000), 'short']
    const log = await store.open('root', 'me')
    for (const text of texts) log.append({ ...entry(text), step: { key: text.slice(0, 9), value: text } })
    await log.waitForCommit()
    expect(await store.events('root')).toMatchObject(texts.map((input) => ({ input })))
    expect([...(await store.steps('root', 'run')).values()]).toEqual(texts)
  })

  it('the SQLite store can be read from the middle of a commit', async () => {
    const { store } = await openStoreFile()
    const log = await store.open('root', 'me')
    for (let index = 1; index <= 500; index += 1) log.append(entry(`${index}`))
    await log.waitForCommit()
    const found = await store.events('root', { after: 298, limit: 4 })
    expect(found).toMatchObject([299, 300, 301, 302].map((seq) => ({ seq, input: `${seq}` })))
  })

  it('the SQLite store returns the steps of every run, including those added after the first read', async () => {
    const { store } = await openStoreFile()
    const log = await store.open('root', 'me')
    const step = (runId: string, key: string, value: number): Promise<void> | undefined => {
      log.append({ runId, step: { key, value } })
      return log.waitForCommit()
    }
    await step('one', 'begin', 1)
    await step('two', 'begin', 2)
    expect(Object.fromEntries(await store.steps('root', 'two'))).toEqual({ begin: 2 })
    await step('two', 'begin', 3)
    await step('two', 'end', 4)
    for (const reader of [store.steps('root', 'two'), log.steps('two')])
      expect(Object.fromEntries(await reader)).toEqual({ begin: 3, end: 4 })
    expect(Object.fromEntries(await log.steps('one'))).toEqual({ begin: 1 })
  })

  it('the SQLite store reports the size of each root run, including long texts', async () => {
    const { store } = await openStoreFile()
    for (const [root, length] of [
      ['small', 100],
      ['large', 100_000],
    ] as const) {
      const log = await store.open(root, 'me')
      log.append({ ...entry('x'.repeat(length)), step: { key: 'begin', value: 1 } })
      await log.close()
    }
    const sizes = await store.sizes?.()
    expect(sizes?.get('small')).toBeGreaterThan(100)
    expect(sizes?.get('small')).toBeLessThan(1000)
    expect(sizes?.get('large')).toBeGreaterThan(100_000)
    expect(sizes?.get('large')).toBeLessThan(101_000)
  })

  it('the SQLite store keeps no trace of purged runs', async () => {
    const { store, path } = await openStoreFile()
    const log = await store.open('root', 'me')
    for (let index = 0; index < 50; index += 1) log.append(entry(`TOP SECRET ${'x'.repeat(40_000)}${index}`))
    await log.close()
    await store.purge(['root'])
    await store.close()
    expect(readFileSync(path).includes('TOP SECRET')).toBe(false)
    expect(existsSync(`${path}-wal`)).toBe(false)
    expect(statSync(path).size).toBeLessThan(100_000)
  })

  it('the SQLite store rejects a file of a later version', async () => {
    const { store, path } = await openStoreFile()
    await store.close()
    const database = new DatabaseSync(path)
    database.exec('PRAGMA user_version = 99')
    database.close()
    await expect(openStore(path)).rejects.toMatchObject({ code: 'store_newer' })
  })

  it.each([
    ['is no database', 'This is a letter, and a long one at that. '.repeat(100)],
    ['is damaged at its beginning', `SQLite format 3\0${'\u0001'.repeat(5000)}`],
  ])('the SQLite store rejects a file that %s and does not modify it', async (_, content) => {
    const { path } = await openStoreFile()
    const file = `${path}.other`
    writeFileSync(file, content)
    await expect(openStore(file)).rejects.toMatchObject({
      code: 'store_corrupt',
      failure: { remediation: expect.stringContaining(`${file}.broken`) },
    })
    expect(readFileSync(file, 'utf8')).toBe(content)
  })

  it('the SQLite store rejects the database of another program', async () => {
    const { path } = await openStoreFile()
    const file = `${path}.other`
    const database = new DatabaseSync(file)
    database.exec('CREATE TABLE letters (text TEXT)')
    database.close()
    await expect(openStore(file)).rejects.toMatchObject({ code: 'store_corrupt' })
  })

  it('the SQLite store reports a file that cannot be created with its path', async () => {
    const { path } = await openStoreFile()
    await expect(openStore(`${path}/below/a/file.db`)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(`${path}/below/a/file.db`),
    })
  })

  it.skipIf(getuid?.() === 0)(
    'the SQLite store reports a file in a read-only folder with its path',
    async () => {
      const { path } = await openStoreFile()
      const folder = `${dirname(path)}/closed`
      mkdirSync(folder)
      chmodSync(folder, 0o500)
      await expect(openStore(`${folder}/runs.db`)).rejects.toMatchObject({ code: 'store_unavailable' })
    },
  )
})

describe('a full store', () => {
  it('a full store makes runs wait, reports it once, and continues by itself when there is space again', async () => {
    const told: (string | undefined)[] = []
    const { store, path } = await openStoreFile({
      maxBytes: 600_000,
      onTrouble: (reason) => told.push(reason?.code),
    })
    const old = await store.open('old', 'me')
    for (let index = 0; index < 8; index += 1) old.append(entry(`${index}${'x'.repeat(50_000)}`))
    await old.close()
    const log = await store.open('new', 'me')
    const seen: number[] = []
    log.subscribe((event) => seen.push(event.seq ?? 0))
    const written = 8
    for (let index = 0; index < written; index += 1) log.append(entry(`${index}${'y'.repeat(50_000)}`))
    const durable = log.waitForCommit()
    await settle(20)
    expect(store.trouble()).toMatchObject({ code: 'store_full' })
    expect(seen).toEqual([])
    expect(await store.events('old')).toHaveLength(8)
    const other = await openStore(path)
    await other.purge(['old'])
    await durable
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(told).toEqual(['store_full', undefined])
    expect(store.trouble()).toBeUndefined()
  })

  it('a full store reports a run that was given up before it could be written', async () => {
    const { store } = await openStoreFile({ maxBytes: 200_000 })
    const log = await store.open('root', 'me')
    log.append(entry())
    await log.waitForCommit()
    for (let index = 0; index < 20; index += 1) log.append(entry(`${index}${'y'.repeat(50_000)}`))
    await expect(log.close()).rejects.toMatchObject({ code: 'store_full' })
    expect(await store.events('root')).toHaveLength(1)
  })
})
