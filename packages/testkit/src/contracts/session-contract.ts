import { MAX_SESSION_NAME, type SessionEntry } from '@troupe/schema/ports'
import { describe, expect, it } from 'vitest'
import { writeRoot } from './list-contract.ts'
import type { OpenedStore } from './opened-store.ts'

const TALK = { sessionId: 'talk', principal: 'ann' }

/** Tests the names and other properties of sessions. */
export function sessionTableContract(opened: OpenedStore): void {
  describe('the table of sessions', () => {
    const entryOf = async (sessionId: string): Promise<SessionEntry | undefined> =>
      (await opened.store.sessions.list('ann')).find((entry) => entry.sessionId === sessionId)

    it('a session gets a name, is archived, and keeps what a later change does not set', async () => {
      const { store } = opened
      await writeRoot(store, { id: '1' })
      expect(await store.sessions.list()).toEqual([])
      expect(await store.sessions.set(TALK, { name: 'Trip' })).toBe(true)
      expect(await entryOf('talk')).toEqual({ ...TALK, name: 'Trip', archived: false })
      expect(await store.sessions.set(TALK, { archived: true })).toBe(true)
      expect(await entryOf('talk')).toEqual({ ...TALK, name: 'Trip', archived: true })
      await store.sessions.set(TALK, { name: '', archived: false })
      expect(await entryOf('talk')).toEqual({ ...TALK, archived: false })
      const branchOf = { sessionId: 'other', runId: 'run_1' }
      await store.sessions.set(TALK, { branchOf })
      await store.sessions.set(TALK, { name: 'Again' })
      expect(await entryOf('talk')).toEqual({ ...TALK, name: 'Again', archived: false, branchOf })
    })

    it('the name of a session keeps every character', async () => {
      const text = String.raw`"quoted" \u0000 ' -- ` + '\u0000 \ud800 \u{1f3ad}\n'
      const name = text.repeat(20).slice(0, MAX_SESSION_NAME)
      await writeRoot(opened.store, { id: '1' })
      await opened.store.sessions.set(TALK, { name })
      expect((await entryOf('talk'))?.name).toBe(name)
    })

    it('sessions of two principals with the same id have their own names', async () => {
      const { store } = opened
      await writeRoot(store, { id: '1' })
      await writeRoot(store, { id: '2', session: { sessionId: 'talk', principal: 'bob' } })
      await store.sessions.set(TALK, { name: 'of Ann' })
      await store.sessions.set({ ...TALK, principal: 'bob' }, { name: 'of Bob' })
      expect((await store.sessions.list('bob')).map(({ name }) => name)).toEqual(['of Bob'])
      const names = new Set((await store.sessions.list()).map(({ name }) => name))
      expect(names).toEqual(new Set(['of Ann', 'of Bob']))
    })

    it('a session without runs cannot get a name', async () => {
      expect(await opened.store.sessions.set(TALK, { name: 'Nothing' })).toBe(false)
      expect(await opened.store.sessions.list()).toEqual([])
    })

    it('the name of a session is deleted with its last run', async () => {
      const { store } = opened
      for (const id of ['1', '2']) await writeRoot(store, { id })
      await store.sessions.set(TALK, { name: 'Trip' })
      await store.purge(['1'])
      expect((await entryOf('talk'))?.name).toBe('Trip')
      await store.purge(['2'])
      expect(await store.sessions.list()).toEqual([])
      await writeRoot(store, { id: '3' })
      expect(await entryOf('talk')).toBeUndefined()
    })
  })
}
