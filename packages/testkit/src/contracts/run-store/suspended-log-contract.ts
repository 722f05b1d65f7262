import { describe, expect, it } from 'vitest'
import { recordEvents } from '../../record-events.ts'
import { settle } from '../../settle.ts'
import { eventEntry, eventPosition, stepsOf } from './entries.ts'
import type { OpenedStore } from './opened-store.ts'

/** Tests a log whose root run is suspended and resumed later. */
export function suspendedLogContract(opened: OpenedStore): void {
  describe('a log that is left', () => {
    it('keeps what was written before, and tells the rest without a number', async () => {
      const heard = recordEvents()
      opened.log.subscribe(heard.listener)
      opened.log.append({ ...eventEntry('turn-start'), step: { key: 'begin', value: 1 } })
      opened.log.detach?.()
      opened.log.append({ ...eventEntry('run-end'), step: { key: 'end', value: 2 } })
      await opened.log.waitForCommit()
      await settle(2)
      expect(heard.types()).toEqual(['turn-start', 'run-end'])
      expect(heard.events[1]).toMatchObject({ after: 1 })
      expect(heard.events[1]?.seq).toBeUndefined()
      expect(await stepsOf(opened.log, 'run')).toEqual({ begin: 1 })
    })

    it('still saves what a model call cost that was in flight when the log was left', async () => {
      const heard = recordEvents()
      opened.log.subscribe(heard.listener)
      opened.log.append(eventEntry('turn-start'))
      opened.log.detach?.()
      opened.log.append(eventEntry('usage'))
      opened.log.append(eventEntry('run-end'))
      await opened.log.waitForCommit()
      await settle(2)
      expect(heard.events.map(eventPosition)).toEqual(['turn-start 1', 'usage 2', 'run-end after 2'])
    })
  })
}
