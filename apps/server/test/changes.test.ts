import {
  ApiError,
  createClient,
  type ChangeOptions,
  type ReceivedChange,
  type TroupeClient,
} from '@troupe/client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sender } from './support/sender.ts'
import { PARROT, serveTeam } from './support/serve-team.ts'
import { slowAgent } from './support/slow-agent.ts'

/** The changes that a client has received so far, until the test ends. */
interface Watched {
  readonly changes: readonly ReceivedChange[]
  /** Id of the last change. */
  last(): string | undefined
  /** States of the runs, in the order in which they were reported. */
  states(): readonly string[]
  close(): void
}

/** Watches the changes of a server. Resolves at the first change unless `after` is set. */
async function watch(client: TroupeClient, options: ChangeOptions = {}): Promise<Watched> {
  const changes: ReceivedChange[] = []
  const closing = new AbortController()
  const opened = Promise.withResolvers<void>()
  const read = async (): Promise<void> => {
    const onConnection = (): void => opened.resolve()
    for await (const change of client.changes({ ...options, onConnection, signal: closing.signal }))
      changes.push(change)
  }
  void read().catch(() => undefined)
  onTestFinished(() => closing.abort())
  await opened.promise
  await vi.waitUntil(() => options.after !== undefined || changes.length > 0)
  return {
    changes,
    last: () => changes.findLast(({ id }) => id !== undefined)?.id,
    states: () =>
      changes.flatMap((change) => (change.type === 'runs' ? change.runs : [])).map(({ state }) => state),
    close: () => closing.abort(),
  }
}

describe('changes', () => {
  it('a client without a position gets a reset, then the rows of its runs when they start and end', async () => {
    const slow = slowAgent()
    const { url } = await serveTeam(slow)
    const client = createClient({ url })
    const watched = await watch(client)
    expect(watched.changes).toMatchObject([{ type: 'reset' }])
    await client.start('Slow', 'Go')
    await expect.poll(watched.states).toEqual(['running'])
    slow.answer()
    await expect.poll(watched.states).toEqual(['running', 'completed'])
    expect(watched.changes.at(-1)).toMatchObject({ runs: [{ agent: 'Slow', input: 'Go', cost: null }] })
  })

  it('a run that another process writes into the store is reported too', async () => {
    const { url, host } = await serveTeam({ cards: [PARROT] })
    const watched = await watch(createClient({ url }))
    await host.run('Parrot', 'x'.repeat(600))
    await expect.poll(watched.states).toEqual(['completed'])
    expect(watched.changes.at(-1)).toMatchObject({ runs: [{ input: 'x'.repeat(500) }] })
  })

  it('a client that reconnects gets the changes that it has missed, and a reset for an unknown position', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const client = createClient({ url })
    const first = await watch(client)
    const after = first.last()
    await client.run('Parrot', 'one')
    await expect.poll(first.states).toContain('completed')
    first.close()
    const second = await watch(client, { after })
    await expect.poll(second.states).toContain('completed')
    expect(second.changes.map(({ type }) => type)).not.toContain('reset')
    for (const unknown of ['changes_x-1', `${after}9999`]) {
      const third = await watch(client, { after: unknown })
      await expect.poll(() => third.changes).toMatchObject([{ type: 'reset' }])
    }
  })

  it('a caller sees only changes of its own runs, and an operator those of all on request', async () => {
    const { url } = await serveTeam({
      cards: [PARROT],
      tokens: [
        { token: 'token-of-ada-0001', principal: 'ada', role: 'user' },
        { token: 'token-of-bob-0001', principal: 'bob', role: 'user' },
        { token: 'token-of-olga-001', principal: 'olga', role: 'operator' },
      ],
    })
    const ada = createClient({ url, token: 'token-of-ada-0001' })
    const bob = createClient({ url, token: 'token-of-bob-0001' })
    const watchedByBob = await watch(bob)
    const watchedByAll = await watch(createClient({ url, token: 'token-of-olga-001' }), { principal: '*' })
    const runId = (await ada.run('Parrot', 'secret')).runId
    const own = (await bob.run('Parrot', 'mine')).runId
    await expect.poll(() => runIdsOf(watchedByBob)).toContain(own)
    expect(runIdsOf(watchedByBob)).not.toContain(runId)
    await expect.poll(() => runIdsOf(watchedByAll)).toContain(runId)
    expect(rowsOf(watchedByAll).find((run) => run.runId === runId)?.principal).toBe('ada')
    expect(await refusalOf(bob, { principal: '*' })).toBe('operator_required')
    const refused = await watch(bob, { runs: new Map([[runId, 0]]) })
    await expect
      .poll(() => refused.changes)
      .toMatchObject([{}, { type: 'run-refused', runId, error: { code: 'run_unknown' } }])
  })

  it('the events of several runs come on the same connection, from the position of the client on', async () => {
    const slow = slowAgent()
    const { url } = await serveTeam({ ...slow, cards: [...slow.cards, PARROT] })
    const client = createClient({ url })
    const ended = (await client.run('Parrot', 'one')).runId
    const { lastSeq } = await client.runs.get(ended)
    const started = await client.start('Slow', 'Go')
    const runs = new Map([
      [started.runId, 1],
      [ended, lastSeq],
    ])
    const watched = await watch(client, { runs })
    slow.answer()
    const eventsOf = () => watched.changes.flatMap((change) => (change.type === 'run' ? [change.event] : []))
    await expect.poll(() => eventsOf().at(-1)?.type).toBe('run-end')
    const seqs = eventsOf().flatMap(({ seq }) => seq ?? [])
    expect(seqs).toEqual(seqs.map((_, index) => index + 2))
    expect(watched.changes).toContainEqual({ type: 'run-over', runId: ended })
  })

  it('a conversation that is started, renamed, archived or deleted is reported, also by another process', async () => {
    const { url, host, store } = await serveTeam({ cards: [PARROT] })
    const client = createClient({ url })
    const watched = await watch(client)
    const count = (): number => watched.changes.filter(({ type }) => type === 'sessions').length
    const completed = (): number => watched.states().filter((state) => state === 'completed').length
    const expectMore = async (change: () => unknown): Promise<void> => {
      const before = count()
      await change()
      await expect.poll(count).toBeGreaterThan(before)
    }
    await client.run('Parrot', 'not in a conversation')
    await expect.poll(completed).toBe(1)
    expect(count()).toBe(0)
    await expectMore(async () => {
      await client.run('Parrot', 'one', { session: 'talk' })
      await expect.poll(completed).toBe(2)
    })
    const [root] = await store.roots({ sessionId: 'talk' })
    const principal = root?.session?.principal ?? ''
    await expectMore(() => client.sessions.change('talk', { name: 'Birds' }))
    await expectMore(() => client.sessions.change('talk', { archived: true }))
    await expectMore(() => client.sessions.delete('talk'))
    await expectMore(() => host.run('Parrot', 'two', { sessionId: 'other', principal }))
  })

  it('a change of the open approvals is reported with their number', async () => {
    const { url } = await serveTeam(sender())
    const client = createClient({ url })
    const watched = await watch(client)
    const totals = (): readonly number[] =>
      watched.changes.flatMap((change) => (change.type === 'approvals' ? [change.total] : []))
    await client.start('Sender', 'Send')
    await expect.poll(totals).toEqual([1])
    const [approval] = (await client.approvals.list()).approvals
    if (approval === undefined) throw new Error('there is no approval')
    await client.approvals.decide(approval, { decision: 'approved' })
    await expect.poll(totals).toEqual([1, 0])
  })

  it('a stream of changes counts against the limit of event streams', async () => {
    const { url } = await serveTeam({ cards: [PARROT], limits: { maxFollowers: 1 } })
    const client = createClient({ url, maxReconnects: 0 })
    const first = await watch(client)
    expect(await refusalOf(client)).toBe('rate_limited')
    first.close()
    await expect.poll(() => refusalOf(client)).toBeUndefined()
  })

  it.each(['[]', '{"run_1": -1}', '{"run_1": "x"}', '{'])('the runs %s are refused', async (runs) => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const response = await fetch(`${url}/api/changes?runs=${encodeURIComponent(runs)}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'request_invalid' } })
  })
})

/** Returns the code of the error with which the server refuses the stream. */
async function refusalOf(client: TroupeClient, options: ChangeOptions = {}): Promise<string | undefined> {
  try {
    for await (const _ of client.changes(options)) return undefined
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown.code
    throw thrown
  }
  return undefined
}

function rowsOf({ changes }: Watched) {
  return changes.flatMap((change) => (change.type === 'runs' ? change.runs : []))
}

function runIdsOf(watched: Watched): readonly string[] {
  return rowsOf(watched).map(({ runId }) => runId)
}
