import { MAX_LABEL_NOTE, type RunLabel } from '@troupe/schema/ports'
import { describe, expect, it } from 'vitest'
import { writeRoot } from './list-contract.ts'
import type { OpenedStore } from './opened-store.ts'

/** Tests the labels of root runs. */
export function labelContract(opened: OpenedStore): void {
  describe('the label of a root run', () => {
    const labelOf = async (rootRunId: string): Promise<RunLabel | undefined> =>
      (await opened.store.roots({ rootRunId }))[0]?.label

    it('the label of a root run is stored, replaced and removed, and changes nothing else', async () => {
      const { store } = opened
      await writeRoot(store, { id: '1' })
      const before = [await store.roots({ rootRunId: '1' }), await store.events('1')]
      expect(await store.setLabel('1', { value: 'down', note: 'Wrong day.' })).toBe(true)
      expect(await labelOf('1')).toEqual({ value: 'down', note: 'Wrong day.' })
      expect(await store.setLabel('1', { value: 'up' })).toBe(true)
      expect(await labelOf('1')).toEqual({ value: 'up' })
      expect(await store.setLabel('1', undefined)).toBe(true)
      expect([await store.roots({ rootRunId: '1' }), await store.events('1')]).toEqual(before)
    })

    it('the label of a root run keeps every character of its note', async () => {
      const { store } = opened
      const text = String.raw`"quoted" \u0000 ' -- ` + '\u0000 \ud800 \u{1f3ad}\n'
      const note = text.repeat(100).slice(0, MAX_LABEL_NOTE)
      await store.setLabel('root', { value: 'up', note })
      expect(await labelOf('root')).toEqual({ value: 'up', note })
    })

    it('the label of a root run can be set while the run is open, and stays when it is reopened', async () => {
      const { store, log } = opened
      expect(await store.setLabel('root', { value: 'up' })).toBe(true)
      await log.close()
      const again = await store.open('root', 'owner')
      expect(await labelOf('root')).toEqual({ value: 'up' })
      await again.close()
    })

    it('the label of an unknown root run cannot be set', async () => {
      expect(await opened.store.setLabel('unknown', { value: 'up' })).toBe(false)
    })

    it('the label of a root run is a condition of the list, alone and with others', async () => {
      const { store } = opened
      for (const id of ['1', '2', '3']) await writeRoot(store, { id })
      await writeRoot(store, { id: '4', session: { sessionId: 'talk', principal: 'bob' } })
      await store.setLabel('1', { value: 'down' })
      await store.setLabel('2', { value: 'up' })
      await store.setLabel('3', { value: 'down' })
      await store.setLabel('4', { value: 'down' })
      const ids = async (query: Partial<Parameters<typeof store.list>[0]>): Promise<readonly string[]> =>
        (await store.list({ limit: 10, ...query })).map(({ rootRunId }) => rootRunId)
      expect(await ids({ label: 'down' })).toEqual(['4', '3', '1'])
      expect(await ids({ label: 'down', principal: 'ann' })).toEqual(['3', '1'])
      expect(await ids({ label: 'up', principal: 'ann' })).toEqual(['2'])
      expect(await ids({ label: 'up', principal: 'bob' })).toEqual([])
      expect(await ids({ label: 'down', principal: 'ann', agent: 'Lead', before: '3' })).toEqual(['1'])
      expect(await ids({ label: 'down', principal: 'ann', sessionId: 'talk', limit: 1 })).toEqual(['3'])
    })

    it('the label of a purged root run is deleted with it', async () => {
      const { store } = opened
      await writeRoot(store, { id: '1' })
      await store.setLabel('1', { value: 'up' })
      await store.purge(['1'])
      await writeRoot(store, { id: '1' })
      expect(await labelOf('1')).toBeUndefined()
    })
  })
}
