import { describe, expect, it } from 'vitest'
import { eventEntry, stepEntry, stepsOf } from './entries.ts'
import type { OpenedStore } from './opened-store.ts'

/** Tests the steps from which a run is resumed. */
export function stepsContract(opened: OpenedStore): void {
  describe('steps', () => {
    it('are there once committed, by run', async () => {
      opened.log.append({ runId: 'a', step: { key: 'begin', value: { n: 1 } } })
      opened.log.append({ runId: 'b', step: { key: 'begin', value: null } })
      await opened.log.waitForCommit()
      expect(await stepsOf(opened.log, 'a')).toEqual({ begin: { n: 1 } })
      expect(await stepsOf(opened.log, 'b')).toEqual({ begin: null })
      expect(await stepsOf(opened.log, 'c')).toEqual({})
    })

    it('are written together with their event', async () => {
      const seen = new Promise((resolve) => {
        opened.log.subscribe(() => resolve(stepsOf(opened.log, 'run')))
      })
      opened.log.append({ ...eventEntry('run-end'), step: { key: 'end', value: true } })
      expect(await stepsOf(opened.log, 'run')).toEqual({})
      expect(await seen).toEqual({ end: true })
    })

    it('may have any name', async () => {
      opened.log.append(stepEntry('__proto__', 'hostile'))
      await opened.log.waitForCommit()
      expect((await opened.log.steps('run')).get('__proto__')).toBe('hostile')
      expect((await opened.log.steps('__proto__')).size).toBe(0)
    })
  })
}
