import { defineAgent, defineTool, type Message } from '@troupe/schema'
import type { PostgresStore } from '@troupe/store-postgres'
import { scriptedModel } from '@troupe/testkit'
import { deferred } from '@troupe/testkit/internal'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { describe, expect, it } from 'vitest'
import { newDatabase, openServer, openWorker } from './support/cluster.ts'

/** Returns the text of the last message of a user. */
function inputOf(prompt: readonly Message[]): string {
  const { content = '' } = prompt.findLast(({ role }) => role === 'user') ?? {}
  return typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** A team whose clerks work until they are released. The input of a lead is that of its clerks and their number. */
function createOffice() {
  const started: string[] = []
  const held: (() => void)[] = []
  const clerk = scriptedModel((prompt) => {
    const gate = deferred()
    started.push(inputOf(prompt))
    held.push(() => gate.resolve())
    return { text: 'Done.', wait: gate.promise }
  })
  const lead = scriptedModel((prompt) => {
    if (prompt.some(({ role }) => role === 'tool')) return { text: 'All done.' }
    const [name = '', count = '1'] = inputOf(prompt).split(' ')
    return {
      calls: Array.from({ length: Number(count) }, () => ({ tool: 'agent__Clerk', args: { text: name } })),
    }
  })
  const fields = { description: 'Works.', instruction: 'Work.' }
  return {
    team: {
      cards: [
        defineAgent({ ...fields, name: 'Lead', model: 'test/lead', agents: ['Clerk'], default: true }),
        defineAgent({ ...fields, name: 'Clerk', model: 'test/clerk' }),
      ],
      models: { 'test/clerk': clerk, 'test/lead': lead },
    },
    /** Inputs of the clerks in the order in which they started. */
    started,
    /** Releases the clerk that has worked for the longest time, and waits for the next start. */
    async release(): Promise<void> {
      const count = started.length
      held.shift()?.()
      await expect.poll(() => started.length, { timeout: 5000 }).toBe(count + 1)
    },
    releaseAll(): void {
      for (const release of held.splice(0)) release()
    },
  }
}

/** Waits until the store has this number of tasks. */
async function waitForTasks({ query }: Pick<PostgresStore, 'query'>, count: number): Promise<void> {
  await expect
    .poll(async () => (await query('SELECT 1 FROM troupe.tasks')).length, { timeout: 5000 })
    .toBe(count)
}

/** Returns ids and priorities of the queued executions, in order of the ids. */
async function readPriorities({ query }: Pick<PostgresStore, 'query'>) {
  const rows = await query<{ readonly id: string; readonly priority: number }>(
    'SELECT workflow_uuid AS id, priority FROM troupe_dbos.workflow_status ORDER BY workflow_uuid',
  )
  return rows.map(({ id, priority }) => [id, priority])
}

describe.skipIf(!HAS_POSTGRES)(`priorities on workers${POSTGRES_NOTE}`, () => {
  it.each([
    ['no limits', {}],
    ['a limit per principal', { principalConcurrency: 1 }],
    ['limits per principal and in total', { principalConcurrency: 1, globalConcurrency: 1 }],
  ])(
    'queued runs start in the order of their priorities, those with the same in the order of their arrival, with %s',
    async (_, limits) => {
      const url = await newDatabase()
      const { team, started, release, releaseAll } = createOffice()
      await openWorker(url, team, { slots: 1, limits })
      const { run, store } = await openServer(url, team)
      const runs = [run('Clerk', 'first')]
      await expect.poll(() => started).toEqual(['first'])
      const queued = [
        ['late', 500],
        ['normal', undefined],
        ['high', 1],
        ['hundred', 100],
      ] as const
      for (const [name, priority] of queued) {
        runs.push(run('Clerk', name, priority === undefined ? {} : { priority }))
        await waitForTasks(store, runs.length)
      }
      while (started.length < runs.length) await release()
      expect(started).toEqual(['first', 'high', 'normal', 'hundred', 'late'])
      releaseAll()
      await Promise.all(runs)
    },
  )

  it('a child run has the priority of its root run in the queue of its level', async () => {
    const url = await newDatabase()
    const { team, started, release, releaseAll } = createOffice()
    await openWorker(url, team, { slots: 3 })
    const { run, store } = await openServer(url, team)
    const runs = [run('Lead', 'busy 3')]
    await expect.poll(() => started.length).toBe(3)
    runs.push(run('Lead', 'late 1', { priority: 900 }))
    await waitForTasks(store, 6)
    runs.push(run('Lead', 'high 1', { priority: 10 }))
    await waitForTasks(store, 8)
    await release()
    await release()
    expect(started).toEqual(['busy', 'busy', 'busy', 'high', 'late'])
    releaseAll()
    for (const report of await Promise.all(runs)) expect(report).toMatchObject({ outcome: 'completed' })
  })

  it('a run that continues after a decision has the priority of its root run, also as a child', async () => {
    const url = await newDatabase()
    const send = defineTool({
      name: 'send',
      description: 'Sends.',
      input: { type: 'object' },
      execute: () => 'sent',
    })
    const clerk = scriptedModel((prompt) =>
      prompt.some(({ role }) => role === 'tool')
        ? { text: 'Sent.' }
        : { calls: [{ tool: 'send', args: {} }] },
    )
    const office = createOffice().team
    const [lead] = office.cards
    const team = {
      cards: [
        ...(lead === undefined ? [] : [lead]),
        defineAgent({
          name: 'Clerk',
          description: 'Works.',
          instruction: 'Work.',
          model: 'test/clerk',
          functionTools: [send],
          requiresApproval: ['send'],
        }),
      ],
      models: { ...office.models, 'test/clerk': clerk },
    }
    await openWorker(url, team)
    const host = await openServer(url, team)
    const options = { runId: 'root', priority: 300, wait: true }
    expect(await host.run('Lead', 'go 1', options)).toMatchObject({ error: { code: 'run_waiting' } })
    const [approval] = await host.approvals('root')
    await host.decide('root', approval?.approvalId ?? '', { decision: 'approved' })
    expect(await host.resume('root')).toMatchObject({ outcome: 'completed' })
    const priorities = await readPriorities(host.store)
    expect(priorities.map(([id]) => id)).toEqual(expect.arrayContaining(['root', 'root#2']))
    expect(priorities).toHaveLength(4)
    expect(new Set(priorities.map(([, priority]) => priority))).toEqual(new Set([300]))
  })

  it('a run that another process starts after it was accepted has the priority of the request', async () => {
    const url = await newDatabase()
    const { team } = createOffice()
    const first = await openServer(url, team)
    await first.accept('Clerk', 'later', { runId: 'accepted', priority: 200 })
    await first.close()
    const second = await openServer(url, team)
    const stop = new AbortController()
    const resumed = second.resume('accepted', { signal: stop.signal })
    await expect.poll(() => readPriorities(second.store)).toEqual([['accepted', 200]])
    stop.abort()
    expect(await resumed).toMatchObject({ outcome: 'cancelled' })
  })
})
