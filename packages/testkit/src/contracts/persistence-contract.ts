import { describe, expect, it } from 'vitest'
import { recordEvents, sampleEvent } from '../events/sample-event.ts'
import { eventEntry, eventPosition, flushed, stepEntry, stepsOf, type OpenedStore } from './opened-store.ts'

/** Tests what a store returns and what it leaves out. */
export function persistenceContract(opened: OpenedStore): void {
  describe('stored entries', () => {
    it('stored entries can be read without the lease while another owner writes', async () => {
      for (let index = 0; index < 5; index += 1) opened.log.append(eventEntry('turn-start'))
      opened.log.append(stepEntry('llm:1', { text: 'hi' }))
      await opened.log.waitForCommit()
      expect((await opened.store.events('root')).map((event) => event.seq)).toEqual([1, 2, 3, 4, 5])
      expect((await opened.store.events('root', { after: 3 })).map((event) => event.seq)).toEqual([4, 5])
      expect((await opened.store.events('root', { after: 1, limit: 2 })).map((event) => event.seq)).toEqual([
        2, 3,
      ])
      expect(Object.fromEntries(await opened.store.steps('root', 'run'))).toEqual({ 'llm:1': { text: 'hi' } })
      expect(await opened.store.roots()).toMatchObject([
        { rootRunId: 'root', open: true, lastSeq: 5, detail: 'full' },
      ])
    })

    it('stored entries of an unknown root run are empty', async () => {
      expect(await opened.store.events('nobody')).toEqual([])
      expect((await opened.store.steps('nobody', 'run')).size).toBe(0)
    })

    it('stored entries equal what was written, whatever its size and characters', async () => {
      const text = `${'long '.repeat(20_000)}\u0000 \ud800 \u{1f3ad}`
      opened.log.append({ runId: 'run', event: sampleEvent('run-start', { input: text }) })
      opened.log.append(stepEntry('begin', { input: text, same: text, ['__proto__']: ['\u0000blob:forged'] }))
      await opened.log.waitForCommit()
      expect(await opened.store.events('root')).toMatchObject([{ input: text }])
      const step = (await opened.store.steps('root', 'run')).get('begin')
      expect(JSON.stringify(step)).toBe(
        JSON.stringify({ input: text, same: text, ['__proto__']: ['\u0000blob:forged'] }),
      )
    })

    it('stored entries contain no text if only metadata is stored, while listeners receive everything', async () => {
      const quiet = await opened.store.open('quiet', 'owner', { detail: 'metadata' })
      const heard = recordEvents()
      quiet.subscribe(heard.listener)
      expect(quiet.isPersistent).toBe(false)
      quiet.append({
        runId: 'run',
        event: sampleEvent('run-start', { input: 'PRIVATE' }),
        step: { key: 'begin', value: 'PRIVATE' },
      })
      quiet.append({ runId: 'run', event: sampleEvent('tool-call', { args: { text: 'PRIVATE' } }) })
      await quiet.waitForCommit()
      expect(heard.events).toMatchObject([{ input: 'PRIVATE' }, { args: { text: 'PRIVATE' } }])
      const kept = await opened.store.events('quiet')
      expect(kept.map((event) => event.type)).toEqual(['run-start', 'tool-call'])
      expect(JSON.stringify(kept)).not.toContain('PRIVATE')
      expect((await opened.store.steps('quiet', 'run')).size).toBe(0)
    })

    it('stored entries are deleted by a purge, except those of an open root run', async () => {
      const second = await opened.store.open('second', 'owner')
      second.append(eventEntry('turn-start'))
      await second.close()
      expect(await opened.store.purge(['root', 'second', 'nobody'])).toBe(1)
      expect((await opened.store.roots()).map((root) => root.rootRunId)).toEqual(['root'])
      expect(await opened.store.events('second')).toEqual([])
    })
  })
}

/** Tests that a root run has one writer at a time. */
export function rootContract(opened: OpenedStore): void {
  describe('a root run', () => {
    it('an open root run is refused to another owner', async () => {
      await expect(async () => opened.store.open('root', 'other')).rejects.toMatchObject({
        code: 'store_locked',
      })
      expect(await opened.store.open('other root', 'other')).toBeDefined()
    })

    it('a closed root run can be reopened and continues where it ended', async () => {
      opened.log.append({ ...eventEntry('turn-start'), step: { key: 'begin', value: 1 } })
      await opened.log.close()
      const again = await opened.store.open('root', 'other')
      const heard = recordEvents()
      again.subscribe(heard.listener, { after: 0 })
      again.append(eventEntry('turn-end'))
      await again.waitForCommit()
      expect(heard.events.map(eventPosition)).toEqual(['turn-start 1', 'turn-end 2'])
      expect(await stepsOf(again, 'run')).toEqual({ begin: 1 })
    })

    it('a root run commits and delivers pending entries when it closes, and accepts nothing afterwards', async () => {
      const heard = recordEvents()
      opened.log.subscribe(heard.listener)
      opened.log.append(eventEntry('run-end'))
      await opened.log.close()
      opened.log.append(eventEntry('turn-start'))
      opened.log.emitTransient(sampleEvent('log', { text: 'late' }))
      await flushed(opened.log)
      expect(heard.types()).toEqual(['run-end'])
      expect(opened.log.waitForCommit()).toBeUndefined()
    })

    it('a root run is listed with its state', async () => {
      await opened.store.open('second', 'owner')
      await opened.log.close()
      const roots = await opened.store.roots()
      expect(new Map(roots.map((root) => [root.rootRunId, root.open]))).toEqual(
        new Map([
          ['root', false],
          ['second', true],
        ]),
      )
    })
  })
}
