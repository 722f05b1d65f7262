import { setTimeout as wait } from 'node:timers/promises'
import type { Clock, EventType, RunEvent } from '@troupe/schema'
import { RunListeners } from '@troupe/schema/ports'
import { fakeClock, recordEvents, sampleEvent } from '@troupe/testkit/internal'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { PostgresStore } from '../src/index.ts'
import { demandChannel, transientChannel } from '../src/transient/transient-messages.ts'
import { createTransientPublisher } from '../src/transient/transient-publisher.ts'
import { newSchema, openStore, useDatabase } from './support/test-store.ts'

const database = useDatabase()

/** A store that publishes, and one of another process that follows. */
async function openStores({ clock = SYSTEM_CLOCK }: { readonly clock?: Clock } = {}) {
  const schema = newSchema()
  const worker = await openStore({ url: database.url, schema, clock })
  const server = await openStore({ url: database.url, schema })
  await worker.publishTransient()
  return { schema, worker, server }
}

/** Records the payloads of a channel. */
async function recordPayloads(store: PostgresStore, channel: string): Promise<readonly string[]> {
  const payloads: string[] = []
  const stop = await store.listen(channel, (payload) => payloads.push(payload))
  onTestFinished(() => stop())
  return payloads
}

function fail(thrown: unknown): void {
  throw thrown
}

const delta = (text: string, fields: Partial<RunEvent> = {}) => sampleEvent('text-delta', { text, ...fields })
const eventEntry = (type: EventType) => ({ runId: 'run', event: sampleEvent(type) })
const start = () => sampleEvent('text-start', { turn: 1 })

/** Follows a root run with transient events, and waits until the worker knows it. */
async function followText(server: PostgresStore, schema: string, rootRunId = 'root') {
  const demands = await recordPayloads(server, demandChannel(schema))
  const heard = recordEvents()
  const stop = server.follow(rootRunId, { after: 0, wantsTransient: () => true }, heard.listener, fail)
  await expect.poll(() => demands).toContain(rootRunId)
  await wait(20)
  return { heard, stop, demands }
}

/** Returns an event as its text, or its type and `seq`. */
const shortOf = (events: readonly RunEvent[]) =>
  events.map((event) =>
    event.type === 'text-delta' ? event.text : `${event.type} ${event.seq ?? ''}`.trim(),
  )

describe.skipIf(!HAS_POSTGRES)(`transient events of another process${POSTGRES_NOTE}`, () => {
  it('a follower receives joined deltas between the stored events, and none after the end of their turn', async () => {
    const { schema, worker, server } = await openStores()
    const log = await worker.open('root', 'me')
    const { heard } = await followText(server, schema)
    expect(log.hasDeltaListeners).toBe(true)
    for (let turn = 0; turn < 20; turn += 1) {
      log.append(eventEntry('turn-start'))
      // from the second turn on, while the entry before them is being committed
      if (turn === 0) await log.waitForCommit()
      log.emitTransient(start())
      for (const text of ['a', 'b', 'c']) log.emitTransient(delta(text))
      log.append(eventEntry('turn-end'))
    }
    await expect.poll(() => heard.events.at(-1)?.seq).toBe(40)
    expect(shortOf(heard.events)).toEqual(
      Array.from({ length: 20 }, (_, turn) => [
        `turn-start ${turn * 2 + 1}`,
        'text-start',
        'abc',
        `turn-end ${turn * 2 + 2}`,
      ]).flat(),
    )
    expect(heard.events[2]).toMatchObject({ after: 1, runId: 'run', type: 'text-delta' })
  })

  it('a text of 100 kB with characters of several bytes arrives whole', async () => {
    const { schema, worker, server } = await openStores()
    const log = await worker.open('root', 'me')
    const { heard } = await followText(server, schema)
    const text = 'Ä"日\u0000𝄞\n'.repeat(10_000)
    expect(Buffer.byteLength(text)).toBeGreaterThan(100_000)
    log.append(eventEntry('turn-start'))
    await log.waitForCommit()
    log.emitTransient(start())
    // every piece begins or ends within a surrogate pair
    const middle = text.indexOf('𝄞', 5000) + 1
    for (const piece of [text.slice(0, middle), text.slice(middle)]) log.emitTransient(delta(piece))
    log.emitTransient(sampleEvent('text-end', { turn: 1, text }))
    log.append(eventEntry('turn-end'))
    await expect
      .poll(() => heard.types())
      .toEqual(['turn-start', 'text-start', 'text-delta', 'text-end', 'turn-end'])
    expect(heard.events[2]).toMatchObject({ text })
    expect(heard.events[3]).toMatchObject({ text })
  })

  it('without a follower that wants transient events, nothing is sent and no delta is built', async () => {
    const { schema, worker, server } = await openStores()
    const log = await worker.open('root', 'me')
    const payloads = await recordPayloads(server, transientChannel(schema, 'root'))
    const demands = await recordPayloads(server, demandChannel(schema))
    const heard = recordEvents()
    server.follow('root', { after: 0 }, heard.listener, fail)
    server.follow('root', { after: 0, wantsTransient: () => false }, heard.listener, fail)
    await wait(50)
    expect(log.hasDeltaListeners).toBe(false)
    log.emitTransient(delta('a'))
    log.append(eventEntry('turn-start'))
    await expect.poll(() => heard.types()).toEqual(['turn-start', 'turn-start'])
    await wait(150)
    expect([payloads, demands]).toEqual([[], []])
  })

  it('publishing stops ten seconds after the last follower has left', async () => {
    const clock = fakeClock()
    const { schema, worker, server } = await openStores({ clock })
    const log = await worker.open('root', 'me')
    const { stop } = await followText(server, schema)
    const payloads = await recordPayloads(server, transientChannel(schema, 'root'))
    log.emitTransient(delta('a'))
    await clock.advance(100)
    await expect.poll(() => payloads.length).toBe(1)
    stop()
    await clock.advance(10_000)
    log.emitTransient(delta('b'))
    expect(log.hasDeltaListeners).toBe(false)
    await clock.advance(200)
    await wait(50)
    expect(payloads).toHaveLength(1)
  })

  it('a follower repeats its demand, so that workers that start later publish, too', async () => {
    const schema = newSchema()
    const server = await openStore({ url: database.url, schema })
    const { heard } = await followText(server, schema)
    const worker = await openStore({ url: database.url, schema })
    await worker.publishTransient()
    const log = await worker.open('root', 'me')
    await expect.poll(() => log.hasDeltaListeners, { timeout: 5000 }).toBe(true)
    log.emitTransient(delta('a'))
    await expect.poll(() => shortOf(heard.events)).toEqual(['a'])
  })

  it('a child run in another process publishes its own events, at their places in its own run', async () => {
    const { schema, worker, server } = await openStores()
    const other = await openStore({ url: database.url, schema })
    const root = await worker.open('root', 'me')
    root.append(eventEntry('turn-start'))
    await root.waitForCommit()
    const { heard } = await followText(server, schema)
    const child = await worker.openRun({ rootRunId: 'root', runId: 'child' }, 'me')
    child.append({ runId: 'child', event: sampleEvent('run-start', { runId: 'child' }) })
    await child.waitForCommit()
    await root.close()
    const parent = await other.open('root', 'other')
    for (let count = 0; count < 5; count += 1) parent.append(eventEntry('turn-end'))
    await parent.waitForCommit()
    await expect.poll(() => heard.events.at(-1)?.seq).toBe(7)
    child.emitTransient(delta('a', { runId: 'child' }))
    child.append({ runId: 'child', event: sampleEvent('run-end', { runId: 'child' }) })
    await expect.poll(() => heard.events.at(-1)?.seq).toBe(8)
    expect(heard.events.slice(-2)).toMatchObject([
      { type: 'text-delta', runId: 'child', text: 'a', after: 7 },
      { type: 'run-end', seq: 8 },
    ])
  })

  it('a follower ignores late events, incomplete messages and payloads that are not events', async () => {
    const { schema, worker, server } = await openStores()
    const log = await worker.open('root', 'me')
    const { heard } = await followText(server, schema)
    for (let count = 0; count < 3; count += 1) log.append(eventEntry('turn-start'))
    await expect.poll(() => heard.events.at(-1)?.seq).toBe(3)
    const send = (payload: string) =>
      server.query('SELECT pg_notify($1, $2)', [transientChannel(schema, 'root'), payload])
    const message = (events: unknown) => `0/1 ${JSON.stringify(events)}`
    await send('')
    await send('9/1 []')
    await send('0/2 [')
    await send('0/1 {')
    await send(message(null))
    await send(message([null, 1, { type: 'text-delta' }]))
    await send(message([{ ...delta('late'), after: 2 }]))
    await send(message([{ ...delta('other'), rootRunId: 'other', after: 3 }]))
    await send(message([{ ...sampleEvent('run-end'), after: 3 }]))
    await send(message([{ ...delta('good'), after: 3 }]))
    await server.query('SELECT pg_notify($1, $2)', [demandChannel(schema), '"'])
    await expect.poll(() => heard.events.length).toBe(4)
    expect(heard.events[3]).toMatchObject({ text: 'good', after: 3 })
  })

  it('a text that is too long to buffer is dropped up to the next text, and the log is not delayed', async () => {
    const clock = fakeClock()
    const { schema, worker, server } = await openStores({ clock })
    const log = await worker.open('root', 'me')
    const { heard } = await followText(server, schema)
    log.append(eventEntry('turn-start'))
    await log.waitForCommit()
    log.emitTransient(start())
    for (let count = 0; count < 100; count += 1) log.emitTransient(delta('x'.repeat(10_000)))
    log.append(eventEntry('turn-end'))
    await log.waitForCommit()
    log.emitTransient(delta('rest'))
    log.emitTransient(start())
    log.emitTransient(delta('next'))
    log.append(eventEntry('turn-end'))
    await expect
      .poll(() => shortOf(heard.events))
      .toEqual(['turn-start 1', 'turn-end 2', 'text-start', 'next', 'turn-end 3'])
  })
})

describe('a publisher without a database', () => {
  it('a text of which events could not be sent is not continued, and a later text is sent', async () => {
    const clock = fakeClock()
    const sent: unknown[] = []
    let isAway = true
    let demand: (payload: string) => void = () => undefined
    const publisher = createTransientPublisher({
      database: {
        async query(_text, values = []) {
          if (isAway) throw new Error('connection refused')
          sent.push(...(values[1] as readonly string[]))
          return []
        },
      },
      schema: 'troupe',
      notifications: {
        add(_channel, { onNotification }) {
          demand = onNotification
          return { isReady: Promise.resolve(), remove: async () => undefined }
        },
        settle: async () => undefined,
        close: async () => undefined,
      },
      clock,
    })
    const listeners = new RunListeners()
    const log = publisher.attach('root', {
      subscribe: (listener) => listeners.add(listener, { deltas: true, next: 1 }),
    })
    demand('root')
    const emit = (event: RunEvent): void => listeners.emit({ ...event, after: 0 })
    emit(start())
    await log.flush()
    isAway = false
    emit(delta('rest'))
    await clock.advance(200)
    expect(sent).toEqual([])
    emit(start())
    emit(delta('next'))
    expect(clock.pending()).toBe(1)
    await clock.advance(100)
    expect(sent).toHaveLength(1)
    expect(sent[0]).toContain('next')
    log.detach()
    expect(listeners.hasListeners).toBe(false)
    expect(clock.pending()).toBe(0)
  })
})
