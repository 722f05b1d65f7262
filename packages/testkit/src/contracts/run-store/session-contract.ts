import type { RunStore } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import type { OpenedStore } from './opened-store.ts'

/** Tests that a session has at most one open root run. */
export function sessionContract(opened: OpenedStore): void {
  describe('a session', () => {
    const session = { sessionId: 'talk', principal: 'ann' }

    it('has one open root at a time', async () => {
      const first = await opened.store.open('first', 'owner', { session })
      await expect(async () => opened.store.open('second', 'owner', { session })).rejects.toMatchObject({
        code: 'session_busy',
      })
      expect((await opened.store.roots()).map(({ rootRunId }) => rootRunId)).toEqual(['root', 'first'])
      await opened.store.open('elsewhere', 'owner', { session: { ...session, principal: 'bob' } })
      await first.close()
      const second = await opened.store.open('second', 'owner', { session })
      await expect(async () => opened.store.open('first', 'owner')).rejects.toMatchObject({
        code: 'session_busy',
      })
      await second.close()
      await (await opened.store.open('first', 'owner')).close()
    })

    it('is what roots are asked for by, in the order they were begun', async () => {
      for (const [root, sessionId, principal] of [
        ['1', 'talk', 'ann'],
        ['2', 'talk', 'bob'],
        ['3', 'chat', 'ann'],
        ['4', 'talk', 'ann'],
      ] as const)
        await (await opened.store.open(root, 'owner', { session: { sessionId, principal } })).close()
      const ids = async (filter: Parameters<RunStore['roots']>[0]): Promise<readonly string[]> =>
        (await opened.store.roots(filter)).map(({ rootRunId }) => rootRunId)
      expect(await ids({ principal: 'ann' })).toEqual(['1', '3', '4'])
      expect(await ids({ principal: 'ann', sessionId: 'talk' })).toEqual(['1', '4'])
      expect(await ids({ principal: 'eve' })).toEqual([])
      expect(await ids({ principal: 'ann', rootRunId: '3' })).toEqual(['3'])
      expect(await ids({ principal: 'bob', rootRunId: '3' })).toEqual([])
      expect(await ids({ principal: 'ann', rootRunId: '5' })).toEqual([])
      expect(await ids({ ...session, rootRunId: '3' })).toEqual([])
      expect((await opened.store.roots(session)).map((root) => root.session)).toEqual([session, session])
    })
  })
}
