import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { getuid } from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import { sampleEvent } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { openStore, openStoreFile } from './support/store-file.ts'

const PAGE = 4096

/** A store with a root of so many events, closed. */
async function filledStore(events = 400): Promise<string> {
  const { store, path } = await openStoreFile()
  const log = await store.open('root', 'me')
  for (let index = 0; index < events; index += 1)
    log.write({
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

describe('a store that is damaged somewhere', () => {
  it('says so with its path when what is damaged is read, and leaves the rest as it is', async () => {
    const path = await filledStore()
    const pages = statSync(path).size / PAGE
    let damaged = 0
    for (let page = 2; page <= pages; page += 17) {
      const before = readFileSync(path)
      spoilPage(path, page)
      try {
        const store = await openStore(path)
        const kept = await store.events('root')
        // pages of other tables: what is read is whole
        expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index + 1))
        await store.close()
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'store_corrupt', message: expect.stringContaining(path) })
        damaged += 1
      }
      const file = openSync(path, 'r+')
      writeSync(file, before)
      closeSync(file)
    }
    expect(damaged).toBeGreaterThan(0)
    const whole = await openStore(path)
    expect(await whole.events('root')).toHaveLength(400)
  })

  it('that a later version wrote is refused and not touched', async () => {
    const path = await filledStore(3)
    const database = new DatabaseSync(path)
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA user_version = 99')
    database.close()
    const before = readFileSync(path)
    await expect(openStore(path)).rejects.toMatchObject({ code: 'store_newer' })
    expect(readFileSync(path).equals(before)).toBe(true)
  })
})

// what needs a user with fewer rights is named, so that nobody takes it for proved
if (getuid?.() === 0) process.stdout.write('NOT RUN as root: a store in a folder that is read-only\n')
