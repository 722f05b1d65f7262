import type { Json, LogEntry, RootLog, RunEvent, RunStore } from '@troupe/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordEvents } from '../record-events.ts'
import { sampleEvent } from '../sample-event.ts'
import { settle } from '../settle.ts'

/**
 * Registers the tests that every RunStore passes. `create` makes an empty store of its own for each test;
 * the store is closed after it.
 */
export function runStoreContract(create: () => RunStore | Promise<RunStore>): void {
  describe('run store contract', () => {
    let store: RunStore
    let log: RootLog

    beforeEach(async () => {
      store = await create()
      log = await store.open('root', 'owner')
    })
    afterEach(async () => {
      await store.close()
    })

    describe('a log', () => {
      it('tells nothing before it is committed, then everything in order', async () => {
        const heard = recordEvents()
        log.subscribe(heard.listener)
        log.write(eventEntry('turn-start'))
        log.write(eventEntry('turn-end'))
        expect(heard.events).toEqual([])
        await log.durable()
        expect(heard.events.map(place)).toEqual(['turn-start 1', 'turn-end 2'])
      })

      it('numbers durable events from 1 without gaps, whatever else is written', async () => {
        const heard = recordEvents()
        log.subscribe(heard.listener)
        for (let index = 0; index < 20; index += 1) {
          log.write(stepEntry(`llm:${index}`, index))
          log.write(eventEntry('turn-start'))
          log.tell(sampleEvent('text-delta', { text: `${index}` }))
        }
        await log.durable()
        await told(log)
        expect(heard.events.flatMap((event) => event.seq ?? [])).toEqual(range(1, 20))
      })

      it('tells transient events after what was written before them, with the last seq', async () => {
        const heard = recordEvents()
        log.subscribe(heard.listener)
        log.write(eventEntry('turn-start'))
        log.tell(sampleEvent('text-delta', { text: 'a' }))
        log.write(eventEntry('turn-end'))
        log.tell(sampleEvent('log', { text: 'b' }))
        await log.durable()
        await told(log)
        expect(heard.events.map(place)).toEqual([
          'turn-start 1',
          'text-delta after 1',
          'turn-end 2',
          'log after 2',
        ])
      })

      it('tells a transient event at once when nothing waits', () => {
        const heard = recordEvents()
        log.subscribe(heard.listener)
        log.tell(sampleEvent('text-delta', { text: 'a' }))
        expect(heard.events.map(place)).toEqual(['text-delta after 0'])
      })

      it('has no promise to wait for when all is committed', async () => {
        expect(log.durable()).toBeUndefined()
        log.write(eventEntry('turn-start'))
        await log.durable()
        expect(log.durable()).toBeUndefined()
      })

      it('commits many entries in slices, so that the event loop turns between', async () => {
        const heard = recordEvents()
        log.subscribe(heard.listener)
        for (let index = 0; index < 500; index += 1) log.write(eventEntry('turn-start'))
        const seenAtTurn: number[] = []
        const all = log.durable()
        let done = false
        const watch = (): void => {
          seenAtTurn.push(heard.events.length)
          if (!done) setImmediate(watch)
        }
        setImmediate(watch)
        await all
        done = true
        expect(heard.events).toHaveLength(500)
        const commits = [...seenAtTurn, 500].map((seen, turn, all) => seen - (all[turn - 1] ?? 0))
        expect(Math.max(...commits)).toBeLessThanOrEqual(300)
      })

      it('goes on when a listener throws', async () => {
        const heard = recordEvents()
        log.subscribe(() => {
          throw new TypeError('broken listener')
        })
        log.subscribe(heard.listener)
        log.write(eventEntry('turn-start'))
        log.write(eventEntry('turn-end'))
        await log.durable()
        expect(heard.types()).toEqual(['turn-start', 'turn-end'])
      })

      it('keeps the order when a listener writes', async () => {
        const heard = recordEvents()
        log.subscribe((event) => {
          if (event.seq === 1) log.write(eventEntry('turn-end'))
          if (event.seq === 1) log.tell(sampleEvent('log', { text: 'from a listener' }))
        })
        log.subscribe(heard.listener)
        log.write(eventEntry('turn-start'))
        log.write(eventEntry('budget'))
        await told(log)
        expect(heard.events.map(place)).toEqual(['turn-start 1', 'budget 2', 'turn-end 3', 'log after 3'])
      })
    })

    describe('steps', () => {
      it('are there once committed, by run', async () => {
        log.write({ runId: 'a', step: { key: 'begin', value: { n: 1 } } })
        log.write({ runId: 'b', step: { key: 'begin', value: null } })
        await log.durable()
        expect(await stepsOf(log, 'a')).toEqual({ begin: { n: 1 } })
        expect(await stepsOf(log, 'b')).toEqual({ begin: null })
        expect(await stepsOf(log, 'c')).toEqual({})
      })

      it('are written together with their event', async () => {
        const seen = new Promise((resolve) => {
          log.subscribe(() => resolve(stepsOf(log, 'run')))
        })
        log.write({ ...eventEntry('run-end'), step: { key: 'end', value: true } })
        expect(await stepsOf(log, 'run')).toEqual({})
        expect(await seen).toEqual({ end: true })
      })

      it('may have any name', async () => {
        log.write(stepEntry('__proto__', 'hostile'))
        await log.durable()
        expect((await log.steps('run')).get('__proto__')).toBe('hostile')
        expect((await log.steps('__proto__')).size).toBe(0)
      })
    })

    describe('a log that is left', () => {
      it('keeps what was written before, and tells the rest without a number', async () => {
        const heard = recordEvents()
        log.subscribe(heard.listener)
        log.write({ ...eventEntry('turn-start'), step: { key: 'begin', value: 1 } })
        log.leave?.()
        log.write({ ...eventEntry('run-end'), step: { key: 'end', value: 2 } })
        await log.durable()
        await settle(2)
        expect(heard.types()).toEqual(['turn-start', 'run-end'])
        expect(heard.events[1]).toMatchObject({ after: 1 })
        expect(heard.events[1]?.seq).toBeUndefined()
        expect(await stepsOf(log, 'run')).toEqual({ begin: 1 })
      })
    })

    describe('a subscription', () => {
      it('with `after` gets what is kept, then what comes, without gap or duplicate', async () => {
        for (let index = 0; index < 5; index += 1) log.write(eventEntry('turn-start'))
        await log.durable()
        log.write(eventEntry('budget'))
        const heard = recordEvents()
        log.subscribe(heard.listener, { after: 2 })
        log.write(eventEntry('turn-end'))
        await log.durable()
        expect(heard.events.map((event) => event.seq)).toEqual([3, 4, 5, 6, 7])
      })

      it('made while events are told has neither gap nor duplicate', async () => {
        const late = recordEvents()
        const leave = log.subscribe((event) => {
          if (event.seq === 2) log.subscribe(late.listener, { after: 0 })
        })
        for (let index = 0; index < 4; index += 1) log.write(eventEntry('turn-start'))
        await log.durable()
        leave()
        log.write(eventEntry('turn-end'))
        await log.durable()
        expect(late.events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5])
      })

      it('without `after` gets only what is told from now on', async () => {
        log.write(eventEntry('turn-start'))
        await log.durable()
        const heard = recordEvents()
        log.subscribe(heard.listener)
        log.write(eventEntry('turn-end'))
        await log.durable()
        expect(heard.types()).toEqual(['turn-end'])
      })

      it('after a seq that is not there yet gets the next one', async () => {
        const heard = recordEvents()
        log.subscribe(heard.listener, { after: 99 })
        log.write(eventEntry('turn-start'))
        await log.durable()
        expect(heard.events.map((event) => event.seq)).toEqual([1])
      })

      it('without deltas gets durable events only', async () => {
        const heard = recordEvents()
        const leave = log.subscribe(heard.listener, { deltas: false })
        expect(log.watched).toBe(false)
        const stop = log.subscribe(() => undefined)
        expect(log.watched).toBe(true)
        log.tell(sampleEvent('text-delta', { text: 'a' }))
        log.write(eventEntry('turn-start'))
        await log.durable()
        expect(heard.types()).toEqual(['turn-start'])
        stop()
        expect(log.watched).toBe(false)
        leave()
      })

      it('that ended is told nothing', async () => {
        const heard = recordEvents()
        log.subscribe(heard.listener)()
        log.write(eventEntry('turn-start'))
        await log.durable()
        expect(heard.events).toEqual([])
      })
    })

    describe('a root', () => {
      it('that is open is refused to another owner', async () => {
        await expect(async () => store.open('root', 'other')).rejects.toMatchObject({ code: 'store_locked' })
        expect(await store.open('other root', 'other')).toBeDefined()
      })

      it('is free again after its close and goes on where it ended', async () => {
        log.write({ ...eventEntry('turn-start'), step: { key: 'begin', value: 1 } })
        await log.close()
        const again = await store.open('root', 'other')
        const heard = recordEvents()
        again.subscribe(heard.listener, { after: 0 })
        again.write(eventEntry('turn-end'))
        await again.durable()
        expect(heard.events.map(place)).toEqual(['turn-start 1', 'turn-end 2'])
        expect(await stepsOf(again, 'run')).toEqual({ begin: 1 })
      })

      it('commits and tells what is left when it closes, and takes nothing after', async () => {
        const heard = recordEvents()
        log.subscribe(heard.listener)
        log.write(eventEntry('run-end'))
        await log.close()
        log.write(eventEntry('turn-start'))
        log.tell(sampleEvent('log', { text: 'late' }))
        await told(log)
        expect(heard.types()).toEqual(['run-end'])
        expect(log.durable()).toBeUndefined()
      })

      it('is listed with its state', async () => {
        await store.open('second', 'owner')
        await log.close()
        const roots = await store.roots()
        expect(new Map(roots.map((root) => [root.rootRunId, root.open]))).toEqual(
          new Map([
            ['root', false],
            ['second', true],
          ]),
        )
      })
    })

    describe('a session', () => {
      const session = { sessionId: 'talk', principal: 'ann' }

      it('has one open root at a time', async () => {
        const first = await store.open('first', 'owner', { session })
        await expect(async () => store.open('second', 'owner', { session })).rejects.toMatchObject({
          code: 'session_busy',
        })
        expect((await store.roots()).map(({ rootRunId }) => rootRunId)).toEqual(['root', 'first'])
        await store.open('elsewhere', 'owner', { session: { ...session, principal: 'bob' } })
        await first.close()
        const second = await store.open('second', 'owner', { session })
        await expect(async () => store.open('first', 'owner')).rejects.toMatchObject({ code: 'session_busy' })
        await second.close()
        await (await store.open('first', 'owner')).close()
      })

      it('is what roots are asked for by, in the order they were begun', async () => {
        for (const [root, sessionId, principal] of [
          ['1', 'talk', 'ann'],
          ['2', 'talk', 'bob'],
          ['3', 'chat', 'ann'],
          ['4', 'talk', 'ann'],
        ] as const)
          await (await store.open(root, 'owner', { session: { sessionId, principal } })).close()
        const ids = async (filter: Parameters<RunStore['roots']>[0]): Promise<readonly string[]> =>
          (await store.roots(filter)).map(({ rootRunId }) => rootRunId)
        expect(await ids({ principal: 'ann' })).toEqual(['1', '3', '4'])
        expect(await ids({ principal: 'ann', sessionId: 'talk' })).toEqual(['1', '4'])
        expect(await ids({ principal: 'eve' })).toEqual([])
        expect((await store.roots(session)).map((root) => root.session)).toEqual([session, session])
      })
    })

    describe('what is kept', () => {
      it('is read without the lease, while somebody writes', async () => {
        for (let index = 0; index < 5; index += 1) log.write(eventEntry('turn-start'))
        log.write(stepEntry('llm:1', { text: 'hi' }))
        await log.durable()
        expect((await store.events('root')).map((event) => event.seq)).toEqual([1, 2, 3, 4, 5])
        expect((await store.events('root', { after: 3 })).map((event) => event.seq)).toEqual([4, 5])
        expect((await store.events('root', { after: 1, limit: 2 })).map((event) => event.seq)).toEqual([2, 3])
        expect(Object.fromEntries(await store.steps('root', 'run'))).toEqual({ 'llm:1': { text: 'hi' } })
        expect(await store.roots()).toMatchObject([
          { rootRunId: 'root', open: true, lastSeq: 5, detail: 'full' },
        ])
      })

      it('is nothing of a root that is not there', async () => {
        expect(await store.events('nobody')).toEqual([])
        expect((await store.steps('nobody', 'run')).size).toBe(0)
      })

      it('is what was written, whatever its size and its characters', async () => {
        const text = `${'long '.repeat(20_000)}\u0000 \ud800 \u{1f3ad}`
        log.write({ runId: 'run', event: sampleEvent('run-start', { input: text }) })
        log.write(stepEntry('begin', { input: text, same: text, ['__proto__']: ['\u0000blob:forged'] }))
        await log.durable()
        expect(await store.events('root')).toMatchObject([{ input: text }])
        const step = (await store.steps('root', 'run')).get('begin')
        expect(JSON.stringify(step)).toBe(
          JSON.stringify({ input: text, same: text, ['__proto__']: ['\u0000blob:forged'] }),
        )
      })

      it('holds no word of what was said where only metadata is kept; listeners hear all', async () => {
        const quiet = await store.open('quiet', 'owner', { detail: 'metadata' })
        const heard = recordEvents()
        quiet.subscribe(heard.listener)
        expect(quiet.keeps).toBe(false)
        quiet.write({
          runId: 'run',
          event: sampleEvent('run-start', { input: 'PRIVATE' }),
          step: { key: 'begin', value: 'PRIVATE' },
        })
        quiet.write({ runId: 'run', event: sampleEvent('tool-call', { args: { text: 'PRIVATE' } }) })
        await quiet.durable()
        expect(heard.events).toMatchObject([{ input: 'PRIVATE' }, { args: { text: 'PRIVATE' } }])
        const kept = await store.events('quiet')
        expect(kept.map((event) => event.type)).toEqual(['run-start', 'tool-call'])
        expect(JSON.stringify(kept)).not.toContain('PRIVATE')
        expect((await store.steps('quiet', 'run')).size).toBe(0)
      })

      it('is gone once it is purged; a root that is open stays', async () => {
        const second = await store.open('second', 'owner')
        second.write(eventEntry('turn-start'))
        await second.close()
        expect(await store.purge(['root', 'second', 'nobody'])).toBe(1)
        expect((await store.roots()).map((root) => root.rootRunId)).toEqual(['root'])
        expect(await store.events('second')).toEqual([])
      })
    })
  })
}

function eventEntry(type: 'turn-start' | 'turn-end' | 'budget' | 'run-end'): LogEntry {
  return { runId: 'run', event: sampleEvent(type) }
}

function stepEntry(key: string, value: Json): LogEntry {
  return { runId: 'run', step: { key, value } }
}

async function stepsOf(log: RootLog, runId: string): Promise<Record<string, Json>> {
  return Object.fromEntries(await log.steps(runId))
}

/** Waits until everything given to the log so far was told. */
async function told(log: RootLog): Promise<void> {
  for (let pending = log.durable(); pending !== undefined; pending = log.durable()) await pending
  await new Promise((resolve) => setImmediate(resolve))
}

function place(event: RunEvent): string {
  return event.seq === undefined ? `${event.type} after ${event.after}` : `${event.type} ${event.seq}`
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
