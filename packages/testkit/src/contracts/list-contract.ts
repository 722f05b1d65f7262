import type { EventType } from '@troupe/schema'
import {
  QUEUED_STEP,
  type RootRunQuery,
  type RunStore,
  type SessionKey,
  type StoreDetail,
} from '@troupe/schema/ports'
import { describe, expect, it } from 'vitest'
import { sampleEvent } from '../events/sample-event.ts'
import type { OpenedStore } from './opened-store.ts'

interface RootToWrite {
  readonly id: string
  readonly agent?: string
  readonly input?: string
  readonly session?: SessionKey
  readonly detail?: StoreDetail
  /** Types of the events after `run-start`. */
  readonly more?: readonly EventType[]
}

const ANN = { sessionId: 'talk', principal: 'ann' }

/** Writes a root run with its events and closes it. */
export async function writeRoot(store: RunStore, root: RootToWrite): Promise<void> {
  const { id, agent = 'Lead', input = 'go', session = ANN, detail = 'full', more = ['run-end'] } = root
  const log = await store.open(id, 'owner', { session, detail })
  const base = { runId: id, rootRunId: id, agent, instance: agent }
  log.append({ runId: id, event: sampleEvent('run-start', { ...base, input }) })
  for (const type of more) log.append({ runId: id, event: sampleEvent(type, base) })
  await log.waitForCommit()
  await log.close()
}

/** Tests filtering and paging of root runs. */
export function listContract(opened: OpenedStore): void {
  describe('the list of root runs', () => {
    const ids = async (
      query: Omit<RootRunQuery, 'limit'> & { readonly limit?: number },
    ): Promise<readonly string[]> =>
      (await opened.store.list({ limit: 100, ...query })).map(({ rootRunId }) => rootRunId)

    it('the list of root runs starts with the newest, and a page continues before the given run', async () => {
      for (const id of ['1', '2', '3', '4', '5']) await writeRoot(opened.store, { id })
      expect(await ids({ principal: 'ann' })).toEqual(['5', '4', '3', '2', '1'])
      expect(await ids({ principal: 'ann', limit: 2 })).toEqual(['5', '4'])
      await writeRoot(opened.store, { id: '6' })
      expect(await ids({ principal: 'ann', limit: 2, before: '4' })).toEqual(['3', '2'])
      expect(await ids({ principal: 'ann', before: '1' })).toEqual([])
      expect(await ids({ limit: 2, before: '1' })).toEqual(['root'])
    })

    it('the list of root runs continues at the same position when an old root run is reopened', async () => {
      for (const id of ['1', '2', '3']) await writeRoot(opened.store, { id })
      const again = await opened.store.open('1', 'owner')
      expect(await ids({ principal: 'ann' })).toEqual(['3', '2', '1'])
      expect(await opened.store.list({ principal: 'ann', limit: 1, before: '2' })).toMatchObject([
        { rootRunId: '1', open: true, lastSeq: 2, detail: 'full', session: ANN },
      ])
      await again.close()
    })

    it('the list of root runs contains only those of the principal and continues only after one of them', async () => {
      await writeRoot(opened.store, { id: '1' })
      await writeRoot(opened.store, { id: '2', session: { ...ANN, principal: 'bob' } })
      await writeRoot(opened.store, { id: '3' })
      expect(await ids({ principal: 'ann' })).toEqual(['3', '1'])
      expect(await ids({ principal: 'bob' })).toEqual(['2'])
      expect(await ids({ principal: 'eve' })).toEqual([])
      for (const before of ['2', 'nobody'])
        await expect(async () => ids({ principal: 'ann', before })).rejects.toMatchObject({
          code: 'run_unknown',
        })
    })

    it('the list of root runs contains only those that meet all conditions', async () => {
      const { store } = opened
      await writeRoot(store, { id: '1', input: 'Count the SHIPS of Ålesund' })
      await writeRoot(store, { id: '2', agent: 'Clerk', session: { ...ANN, sessionId: 'other' } })
      await writeRoot(store, { id: '3', agent: 'Clerk', input: 'ships', more: [] })
      await writeRoot(store, { id: '4', agent: 'clerk', more: ['approval-request', 'run-waiting'] })
      const found = (query: Omit<RootRunQuery, 'limit' | 'principal'>): Promise<readonly string[]> =>
        ids({ principal: 'ann', ...query })
      expect(await found({ sessionId: 'other' })).toEqual(['2'])
      expect(await found({ agent: 'Clerk' })).toEqual(['3', '2'])
      expect(await found({ outcomes: ['completed'] })).toEqual(['2', '1'])
      expect(await found({ outcomes: ['failed', 'none'] })).toEqual(['4', '3'])
      expect(await found({ outcomes: ['failed', 'completed'] })).toEqual(['2', '1'])
      expect(await found({ outcomes: [] })).toEqual([])
      expect(await found({ hasApprovalRequests: true })).toEqual(['4'])
      expect(await found({ text: 'ships' })).toEqual(['3', '1'])
      expect(await found({ text: 'åLESUND' })).toEqual(['1'])
      expect(await found({ text: 'CLERK' })).toEqual(['4', '3', '2'])
      expect(await found({ text: '%' })).toEqual([])
      expect(await found({ text: 'ships', agent: 'Clerk', outcomes: ['none'] })).toEqual(['3'])
      expect(await found({ text: 'ships', agent: 'Clerk', outcomes: ['completed'] })).toEqual([])
    })

    it('inConversation lists only root runs whose session id differs from their run id', async () => {
      const { store } = opened
      await writeRoot(store, { id: '1' })
      await writeRoot(store, { id: 'alone', session: { ...ANN, sessionId: 'alone' } })
      const below = await store.open('apart', 'owner')
      await below.close()
      expect(await ids({ inConversation: true })).toEqual(['1'])
      expect(await ids({ principal: 'ann', agent: 'Lead', inConversation: true })).toEqual(['1'])
    })

    it('the list of root runs is not filtered by the agents and outcomes of child runs, but by their requests for input', async () => {
      const log = await opened.store.open('top', 'owner', { session: ANN })
      const child = { runId: 'child', rootRunId: 'top', agent: 'Child', instance: 'Child[1]', depth: 1 }
      log.append({ runId: 'child', event: sampleEvent('run-start', { ...child, input: 'below' }) })
      log.append({ runId: 'child', event: sampleEvent('approval-request', child) })
      log.append({ runId: 'child', event: sampleEvent('run-end', child) })
      await log.waitForCommit()
      expect(await ids({ agent: 'Child' })).toEqual([])
      expect(await ids({ text: 'below' })).toEqual([])
      expect(await ids({ principal: 'ann', outcomes: ['none'], hasApprovalRequests: true })).toEqual(['top'])
    })

    it('the list of root runs does not find a run by its input if only metadata is stored', async () => {
      await writeRoot(opened.store, { id: 'quiet', input: 'PRIVATE', detail: 'metadata' })
      expect(await ids({ text: 'private' })).toEqual([])
      expect(await ids({ text: 'quiet', agent: 'Lead' })).toEqual(['quiet'])
    })

    it('the list of root runs finds an accepted run that has not started by its agent and its input', async () => {
      const { store } = opened
      const log = await store.open('later', 'owner', { session: ANN })
      const value = { runId: 'later', agent: { name: 'Clerk', digest: 'd' }, input: 'Count the ships' }
      log.append({ runId: 'later', step: { key: QUEUED_STEP, value } })
      await log.waitForCommit()
      await log.close()
      const query = { principal: 'ann', agent: 'Clerk', text: 'SHIPS', outcomes: ['none' as const] }
      expect(await store.list({ ...query, limit: 10 })).toMatchObject([{ rootRunId: 'later', lastSeq: 0 }])
    })

    it('the list of root runs contains no purged root run', async () => {
      for (const id of ['1', '2', '3']) await writeRoot(opened.store, { id })
      await opened.store.purge(['2'])
      expect(await ids({ principal: 'ann' })).toEqual(['3', '1'])
    })
  })
}
