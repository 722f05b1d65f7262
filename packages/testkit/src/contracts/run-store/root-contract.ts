import { describe, expect, it } from 'vitest'
import { recordEvents } from '../../record-events.ts'
import { sampleEvent } from '../../sample-event.ts'
import { eventEntry, eventPosition, stepsOf, flushed } from './entries.ts'
import type { OpenedStore } from './opened-store.ts'

/** Tests that a root run has one writer at a time. */
export function rootContract(opened: OpenedStore): void {
  describe('a root', () => {
    it('that is open is refused to another owner', async () => {
      await expect(async () => opened.store.open('root', 'other')).rejects.toMatchObject({
        code: 'store_locked',
      })
      expect(await opened.store.open('other root', 'other')).toBeDefined()
    })

    it('is free again after its close and goes on where it ended', async () => {
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

    it('commits and tells what is left when it closes, and takes nothing after', async () => {
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

    it('is listed with its state', async () => {
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
