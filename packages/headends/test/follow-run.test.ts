import * as fc from 'fast-check'
import type { Clock, Json, RunEvent, RunListener } from '@troupe/schema'
import { QUEUED_STEP, type RunStore } from '@troupe/schema/ports'
import { fakeClock, sampleEvent, settle } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createStoreWatch, followRun, createStoredPages } from '../src/feeds/follow-run.ts'
import { createRunHub, type RunHub } from '../src/feeds/run-hub.ts'
import type { EventProducer } from '../src/sse/event-stream.ts'

const ROOT = { runId: 'root', rootRunId: 'root' }

/** A run whose events the test persists and emits. */
interface WrittenRun {
  readonly store: Pick<RunStore, 'events' | 'steps'>
  readonly hub: RunHub
  /** Persists an event, then emits it. */
  keep(event: Omit<RunEvent, 'seq'>): void
  /** Emits a transient event. */
  tell(text: string): void
  end(): void
  readonly kept: readonly RunEvent[]
}

function writtenRun(steps: ReadonlyMap<string, Json> = new Map()): WrittenRun {
  const kept: RunEvent[] = []
  const hub = createRunHub()
  const keep: WrittenRun['keep'] = (event) => {
    const numbered = { ...event, seq: kept.length + 1 } as RunEvent
    kept.push(numbered)
    hub.publish(numbered)
  }
  return {
    kept,
    hub,
    store: {
      events: async (_, { after = 0, limit = Infinity } = {}) => kept.slice(after, after + limit),
      steps: () => steps,
    },
    keep,
    tell: (text) => hub.publish({ ...sampleEvent('text-delta', { ...ROOT, text }), after: kept.length }),
    end: () => keep(sampleEvent('run-end', ROOT)),
  }
}

/** Returns the next event, or `undefined` at the end. */
async function next(source: EventProducer): Promise<string | undefined> {
  for (;;) {
    const piece = source.read()
    if (piece !== undefined) return Buffer.from(piece).toString('utf8')
    if (source.isOver) return undefined
    await new Promise<void>((resolve) => source.onReady(resolve))
  }
}

interface Sent {
  readonly id: number | undefined
  readonly event: string | undefined
  readonly data: Partial<RunEvent> & { readonly text?: string }
}

function parse(blocks: string): readonly Sent[] {
  return blocks
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const field = (name: string): string | undefined =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      const id = field('id')
      return {
        id: id === undefined ? undefined : Number(id),
        event: field('event'),
        data: JSON.parse(field('data') ?? '{}') as Sent['data'],
      }
    })
}

function follow(
  run: WrittenRun,
  {
    after = 0,
    clock = fakeClock(),
    isLive = true,
    watch,
  }: {
    readonly after?: number
    readonly clock?: Clock
    readonly isLive?: boolean
    readonly watch?: ReturnType<typeof createStoreWatch>
  } = {},
) {
  const pages = createStoredPages(run.store)
  return followRun({ runId: 'root', after }, { pages, hub: run.hub, clock, watch, isLive: () => isLive })
}

describe('followRun', () => {
  it('a follower gets each stored event once and in order, however often it is disconnected and whenever it reads', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('keep', 'tell', 'read', 'cut', 'many'), { maxLength: 60 }),
        async (steps) => {
          const run = writtenRun()
          const ids: number[] = []
          let source = follow(run)
          let reading: Promise<void> | undefined
          const read = (): void => {
            const from = source
            reading ??= next(from).then((text) => {
              // events after a cut are lost
              if (from === source && text !== undefined)
                ids.push(...parse(text).flatMap(({ id }) => (id === undefined ? [] : [id])))
              if (from === source) reading = undefined
            })
          }
          for (const step of steps) {
            if (step === 'keep') run.keep(sampleEvent('turn-start', ROOT))
            if (step === 'many')
              for (let count = 0; count < 300; count += 1) run.keep(sampleEvent('turn-start', ROOT))
            if (step === 'tell') run.tell('x')
            if (step === 'read') read()
            if (step === 'cut') {
              source.close()
              source = follow(run, { after: ids.at(-1) ?? 0 })
              reading = undefined
            }
            await Promise.resolve()
          }
          run.end()
          await reading
          for (let text = await next(source); text !== undefined; text = await next(source))
            ids.push(...parse(text).flatMap(({ id }) => (id === undefined ? [] : [id])))
          expect(ids).toEqual(run.kept.map((_, index) => index + 1))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('a follower gets deltas in their places while it keeps up', async () => {
    const run = writtenRun()
    const source = follow(run)
    run.keep(sampleEvent('run-start', ROOT))
    expect(parse((await next(source)) ?? '').map(({ id }) => id)).toEqual([1])
    const coming = next(source)
    run.tell('a')
    expect(parse((await coming) ?? '').map(({ data }) => data.text)).toEqual(['a'])
    const then = next(source)
    run.tell('b')
    run.keep(sampleEvent('turn-end', ROOT))
    run.tell('c')
    expect(parse((await then) ?? '').map(({ id, data }) => id ?? data.text)).toEqual(['b', 2, 'c'])
  })

  it('a follower that falls behind receives a notice of missed deltas, buffers little, and reads the rest from the store', async () => {
    const run = writtenRun()
    run.keep(sampleEvent('run-start', ROOT))
    const source = follow(run)
    await next(source)
    const live = next(source)
    await settle()
    run.tell('x')
    await live
    for (let count = 0; count < 1000; count += 1) {
      run.tell('x')
      run.keep(sampleEvent('turn-start', ROOT))
    }
    const seen: Sent[] = [...parse((await next(source)) ?? '')]
    run.end()
    for (let text = await next(source); text !== undefined; text = await next(source))
      seen.push(...parse(text))
    expect(seen.some(({ event }) => event === 'lagged')).toBe(true)
    expect(seen.filter(({ data }) => data.type === 'text-delta').length).toBeLessThan(600)
    const ids = seen.flatMap(({ id }) => (id === undefined ? [] : [id]))
    expect(ids).toEqual(Array.from({ length: 1001 }, (_, index) => index + 2))
  })

  it('a follower polls the store for a run of another process', async () => {
    const run = writtenRun()
    run.keep(sampleEvent('run-start', ROOT))
    const clock = fakeClock()
    const silent = { ...run, hub: createRunHub() }
    const source = follow(silent, { clock, isLive: false })
    await next(source)
    const coming = next(source)
    run.end()
    await settle()
    await clock.advance(500)
    expect(parse((await coming) ?? '')).toMatchObject([{ id: 2, data: { type: 'run-end' } }])
    expect(await next(source)).toBeUndefined()
  })

  it('a follower of a run of another process gets its events as the store reports them, without a poll', async () => {
    const run = writtenRun()
    run.keep(sampleEvent('run-start', ROOT))
    const clock = fakeClock()
    const listeners = new Set<RunListener>()
    let follows = 0
    const silent = { ...run, hub: createRunHub() }
    const watch = createStoreWatch(
      (_runId, { after }, listener) => {
        follows += 1
        listeners.add(listener)
        for (const event of run.kept.slice(after)) listener(event)
        return () => listeners.delete(listener)
      },
      { publish: silent.hub.publish, isLive: () => false },
    )
    const append = (event: Parameters<typeof run.keep>[0]): void => {
      run.keep(event)
      for (const listener of listeners) listener(run.kept.at(-1) as RunEvent)
    }
    const sources = [1, 2].map(() => follow(silent, { clock, isLive: false, watch }))
    const ids: (number | undefined)[][] = [[], []]
    const readAll = async (index: number): Promise<void> => {
      const source = sources[index] as EventProducer
      for (let text = await next(source); text !== undefined; text = await next(source))
        ids[index]?.push(...parse(text).map(({ id }) => id))
    }
    const reading = [readAll(0), readAll(1)]
    for (let count = 0; count < 20; count += 1) {
      // some of them while the store is being read
      append(sampleEvent('turn-start', ROOT))
      if (count % 3 === 0) await settle(count % 5)
    }
    await settle()
    append(sampleEvent('run-end', ROOT))
    await Promise.all(reading)
    const all = run.kept.map((_, index) => index + 1)
    expect(ids).toEqual([all, all])
    expect(clock.pending()).toBe(0)
    expect(follows).toBe(1)
    for (const source of sources) source.close()
    expect(listeners.size).toBe(0)
  })

  it('a follower of a run of another process gets its deltas in their places, until this process executes the run', async () => {
    const run = writtenRun()
    run.keep(sampleEvent('run-start', ROOT))
    const { join, publish, isFollowed } = createRunHub()
    let isLive = false
    let listener: RunListener = () => undefined
    let wantsTransient: (() => boolean) | undefined
    const watch = createStoreWatch(
      (_runId, range, newListener) => {
        listener = newListener
        wantsTransient = range.wantsTransient
        return () => undefined
      },
      { publish, isLive: () => isLive },
    )
    const silent = { ...run, hub: { join, publish, isFollowed, notify: () => undefined } }
    const source = follow(silent, { isLive: false, watch })
    await next(source)
    const coming = next(source)
    await settle()
    expect(wantsTransient?.()).toBe(true)
    const delta = (text: string, after: number): RunEvent => ({
      ...sampleEvent('text-delta', { ...ROOT, text }),
      after,
    })
    listener(delta('a', 1))
    run.keep(sampleEvent('turn-end', ROOT))
    listener(run.kept.at(-1) as RunEvent)
    listener(delta('b', 2))
    expect(parse((await coming) ?? '').map(({ id, data }) => id ?? data.text)).toEqual(['a', 2, 'b'])
    isLive = true
    expect(wantsTransient?.()).toBe(false)
    listener(delta('twice', 2))
    publish(delta('c', 2))
    expect(parse((await next(source)) ?? '').map(({ data }) => data.text)).toEqual(['c'])
    source.close()
    expect(isFollowed('root')).toBe(false)
  })

  it('a follower of a run that another process has accepted waits until the run starts', async () => {
    const run = writtenRun(new Map([[QUEUED_STEP, {}]]))
    const clock = fakeClock()
    const source = follow(run, { clock, isLive: false })
    const first = next(source)
    await settle(5)
    expect(source.isOver).toBe(false)
    run.keep(sampleEvent('run-start', ROOT))
    run.end()
    await clock.advance(500)
    expect(parse((await first) ?? '').map(({ id }) => id)).toEqual([1, 2])
    expect(await next(source)).toBeUndefined()
  })

  it('a follower of a run that is unknown to the store and not active ends at once', async () => {
    expect(await next(follow(writtenRun(), { isLive: false }))).toBeUndefined()
  })

  it('a follower of a run that cannot be followed ends with the error', async () => {
    const run = writtenRun()
    run.keep(sampleEvent('run-start', ROOT))
    const errors: unknown[] = []
    const failed = new TypeError('no events')
    const { publish, join } = createRunHub()
    const isLive = (): boolean => false
    const source = followRun(
      { runId: 'root', after: 0 },
      {
        pages: createStoredPages(run.store),
        hub: { join },
        clock: fakeClock(),
        isLive,
        onError: (thrown) => errors.push(thrown),
        watch: createStoreWatch(
          (_runId, _range, _listener, onError) => {
            setImmediate(() => onError(failed))
            return () => undefined
          },
          { publish, isLive },
        ),
      },
    )
    await next(source)
    expect(await next(source)).toBeUndefined()
    expect(errors).toEqual([failed])
  })

  it('a follower of an abandoned run gets only its stored events', async () => {
    const run = writtenRun()
    run.keep(sampleEvent('run-start', ROOT))
    const source = follow(run)
    await next(source)
    const coming = next(source)
    run.hub.publish(sampleEvent('run-end', { ...ROOT, outcome: 'cancelled' }) as RunEvent)
    await settle()
    run.end()
    expect(parse((await coming) ?? '')).toMatchObject([{ id: 2, data: { outcome: 'completed' } }])
  })

  it('a follower that disconnects is forgotten', async () => {
    const run = writtenRun()
    const source = follow(run)
    const coming = next(source)
    source.close()
    expect(await coming).toBeUndefined()
  })
})
