import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { recordFigures, sampleEvent } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { openStore, openStoreFile } from './support/store-file.ts'

const PAGE = 4096

/** Returns the path of a closed store with a root of so many events. */
async function filledStore(events = 400): Promise<string> {
  const { store, path } = await openStoreFile()
  const log = await store.open('root', 'me')
  for (let index = 0; index < events; index += 1)
    log.append({
      runId: 'run',
      event: sampleEvent('run-start', { input: `${index} ${'x'.repeat(500)}` }),
      step: { key: `llm:${index}`, value: index },
    })
  await store.close()
  return path
}

function spoilPage(path: string, page: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(PAGE, 0xaa), 0, PAGE, (page - 1) * PAGE)
  closeSync(file)
}

function restore(path: string, content: Buffer): void {
  const file = openSync(path, 'r+')
  writeSync(file, content)
  closeSync(file)
}

/** Returns the numbers of the readable events, or the error. */
async function readAll(path: string): Promise<unknown> {
  try {
    const store = await openStore(path)
    const kept = await store.events('root')
    await store.close()
    return kept.map(({ seq }) => seq)
  } catch (thrown) {
    return thrown
  }
}

describe('a damaged store file', () => {
  it('a damaged store file is reported with its path when the damaged part is read, and is not modified', async ({
    task,
  }) => {
    const path = await filledStore()
    const pages = statSync(path).size / PAGE
    const found: unknown[] = []
    for (let page = 2; page <= pages; page += 17) {
      const before = readFileSync(path)
      spoilPage(path, page)
      found.push(await readAll(path))
      restore(path, before)
    }
    // damaged pages of other tables do not affect these reads
    const whole400 = Array.from({ length: 400 }, (_, index) => index + 1)
    const corrupt = { code: 'store_corrupt', message: expect.stringContaining(path) as string }
    const harmless = found.filter((each) => Array.isArray(each))
    const harmful = found.filter((each) => !Array.isArray(each))
    expect(harmless).toEqual(harmless.map(() => whole400))
    expect(harmful.length).toBeGreaterThan(0)
    expect(harmful).toMatchObject(harmful.map(() => corrupt))
    const whole = await openStore(path)
    expect(await whole.events('root')).toHaveLength(400)
    recordFigures(task, { 'store files with a damaged page': found.length })
  })

  it('a damaged store file of a later version is rejected and not modified', async () => {
    const path = await filledStore(3)
    const database = new DatabaseSync(path)
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA user_version = 99')
    database.close()
    const before = readFileSync(path)
    await expect(openStore(path)).rejects.toMatchObject({ code: 'store_newer' })
    expect(readFileSync(path).equals(before)).toBe(true)
  })
})
