import { sampleEvent } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { spoil } from './support/spoil.ts'
import { openStore, openStoreFile } from './support/store-file.ts'

const LEVELS = 5000
const NESTED = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`

/** Returns the path of a closed store whose root `deep` has an event and a step with a value of 5,000 levels, as a version without a depth limit wrote them. */
async function deepStore(text: string): Promise<string> {
  const { store, path } = await openStoreFile()
  for (const root of ['before', 'deep', 'after']) {
    const log = await store.open(root, 'me')
    const event = sampleEvent('run-start', { input: `${text} PLACE` })
    log.append({ runId: 'run', event, step: { key: 'begin', value: [text, 'PLACE'] } })
  }
  await store.close()
  for (const column of ['events', 'steps'])
    spoil(
      path,
      `UPDATE pieces SET ${column} = replace(replace(${column}, '"PLACE"', ?1), '"input":"', '"value":' || ?1 || ',"input":"'), ${column}_sum = NULL
       WHERE root = (SELECT id FROM roots WHERE root_run_id = 'deep')`,
      NESTED,
    )
  return path
}

describe('a store with an event of 5,000 levels', () => {
  it.each([
    ['in its row', 'short'],
    ['beside long texts', '\u0000blob:long '.repeat(10_000)],
  ])(
    'a store with an event of 5,000 levels that stands %s opens and returns all of its runs',
    async (_name, text) => {
      const path = await deepStore(text)
      const store = await openStore(path)
      expect((await store.roots()).map(({ rootRunId }) => rootRunId)).toEqual(['before', 'deep', 'after'])
      for (const root of ['before', 'deep', 'after'])
        expect(await store.events(root)).toMatchObject([{ type: 'run-start', input: `${text} PLACE` }])
    },
  )

  it('a store replaces values that are nested too deeply by a marker, so that readers do not overflow', async () => {
    const store = await openStore(await deepStore('short'))
    const read = [await store.events('deep'), [...(await store.steps('deep', 'run'))]]
    for (const each of read) {
      const json = JSON.stringify(each)
      expect(json).toContain('[too deep]')
      expect(json.match(/\{"a":/gu)?.length).toBeGreaterThan(400)
      expect(structuredClone(each)).toEqual(JSON.parse(json))
    }
  })
})
