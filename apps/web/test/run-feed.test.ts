import {
  ApiError,
  type EventPage,
  type EventPageOptions,
  type FollowOptions,
  type RunEvent,
} from '@troupe/client'
import { failure } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createRunViewFeed, type FeedPorts, type RunViewFeed } from '../src/feed/run-view-feed.ts'
import { rootOf } from '../src/reducers/run-view-state.ts'
import { harbourRun, numbered } from './harbour-run.ts'

/** An event stream that the test drives. */
class PlayedStream {
  readonly options: FollowOptions
  #events: RunEvent[] = []
  #error: Error | undefined
  #wake: () => void = () => undefined

  constructor(options: FollowOptions) {
    this.options = options
  }
  get isClosed(): boolean {
    return this.options.signal?.aborted === true
  }
  send(events: readonly RunEvent[]): void {
    this.#events.push(...events)
    this.#wake()
  }
  fail(error: Error): void {
    this.#error = error
    this.#wake()
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    for (;;) {
      yield* this.#events.splice(0)
      if (this.#error !== undefined) throw this.#error
      if (this.#events.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}

interface Played {
  readonly feed: RunViewFeed
  /** The options of the requested pages. */
  readonly pages: readonly EventPageOptions[]
  /** Makes the server reachable again. */
  comeBack(): void
  readonly streams: readonly PlayedStream[]
  readonly frames: (() => void)[]
  readonly timers: (() => void)[]
  /** Work that was put off to later tasks. */
  readonly tasks: (() => void)[]
}

/** Plays a run with these pages of stored events, and then none. */
async function play(stored: readonly (EventPage | Error)[] = []): Promise<Played> {
  const pages: EventPageOptions[] = []
  const streams: PlayedStream[] = []
  const frames: (() => void)[] = []
  const timers: (() => void)[] = []
  const tasks: (() => void)[] = []
  let time = 0
  let comeBack = (): void => undefined
  const ports: FeedPorts = {
    async page(_, options) {
      const page = stored[pages.push(options) - 1] ?? { events: [], lastSeq: 0 }
      if (page instanceof Error) throw page
      return page
    },
    follow(_, options) {
      const stream = new PlayedStream(options)
      streams.push(stream)
      return stream
    },
    schedule: (draw) => void frames.push(draw),
    // each look at the clock takes some time
    now: () => (time += 5),
    yieldTo: (task) => void tasks.push(task),
    after(_, task) {
      timers.push(task)
      return () => undefined
    },
    onReconnect(task) {
      comeBack = task
      return () => (comeBack = () => undefined)
    },
  }
  const feed = createRunViewFeed('root', ports)
  return { feed, pages, streams, frames, timers, tasks, comeBack: () => comeBack() }
}

/** Lets pending promises settle. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('run feed', () => {
  it('the feed applies all events of a frame at once, and ends with the run', async () => {
    const { feed, streams, frames } = await play()
    let changes = 0
    feed.subscribe(() => (changes += 1))
    await settle()
    streams[0]?.send(harbourRun())
    await settle()
    expect([frames.length, changes]).toEqual([1, 0])
    frames[0]?.()
    expect(changes).toBe(1)
    expect(feed.getState().link).toBe('over')
    expect(rootOf(feed.getState().viewState)?.state).toBe('done')
    expect(streams[0]?.isClosed).toBe(true)
  })

  it('the feed shows whether its stream is connected', async () => {
    const { feed, streams } = await play()
    feed.subscribe(() => undefined)
    await settle()
    expect(feed.getState().link).toBe('opening')
    streams[0]?.options.onConnection?.('open')
    expect(feed.getState().link).toBe('live')
    streams[0]?.options.onConnection?.('lost')
    expect(feed.getState().link).toBe('lost')
  })

  it('the feed reopens a stream that failed, and shows no event twice', async () => {
    const { feed, streams, frames, timers } = await play()
    feed.subscribe(() => undefined)
    await settle()
    streams[0]?.send(harbourRun().slice(0, 9))
    streams[0]?.fail(new Error('refused'))
    await settle()
    expect(feed.getState().link).toBe('lost')
    timers[0]?.()
    await settle()
    expect(streams).toHaveLength(2)
    streams[1]?.send(harbourRun())
    await settle()
    for (const frame of frames) frame()
    expect(feed.getState().viewState.events).toHaveLength(
      harbourRun().filter(({ seq }) => seq !== undefined).length,
    )
    expect(feed.getState().link).toBe('over')
  })

  it('the feed disconnects without subscribers, and does not connect to a run that has ended', async () => {
    const { feed, streams, frames } = await play()
    const leave = feed.subscribe(() => undefined)
    await settle()
    leave()
    expect(streams[0]?.isClosed).toBe(true)
    feed.subscribe(() => undefined)
    await settle()
    streams[1]?.send(harbourRun())
    await settle()
    frames[0]?.()
    feed.subscribe(() => undefined)
    await settle()
    expect(streams).toHaveLength(2)
  })

  it('the feed reopens its stream after its last event when a lost server responds again', async () => {
    const { feed, streams, frames, comeBack } = await play()
    const leave = feed.subscribe(() => undefined)
    await settle()
    streams[0]?.send(harbourRun().slice(0, 4))
    await settle()
    frames[0]?.()
    const { seq } = feed.getState().viewState.timeline
    expect(seq).toBeGreaterThan(0)
    comeBack()
    await settle()
    expect(streams[0]?.isClosed).toBe(true)
    expect(streams.map(({ options }) => options.after)).toEqual([0, seq])
    leave()
    comeBack()
    expect(streams).toHaveLength(2)
  })

  it('the feed does not repeat requests for a run that the server does not have', async () => {
    const { feed, streams, timers } = await play()
    const leave = feed.subscribe(() => undefined)
    await settle()
    streams[0]?.fail(new ApiError(failure('run_unknown', 'No.')))
    await settle()
    expect([feed.getState().link, timers.length, streams[0]?.isClosed]).toEqual(['unknown', 0, true])
    leave()
    feed.subscribe(() => undefined)
    await settle()
    expect(streams).toHaveLength(1)
  })

  it('the feed loads the stored events of an ended run in pages and opens no stream', async () => {
    const stored = harbourRun().filter(({ seq }) => seq !== undefined)
    const lastSeq = stored.length
    const { feed, pages, streams, frames } = await play([
      { events: stored.slice(0, 6), lastSeq },
      { events: stored.slice(6), lastSeq },
    ])
    feed.subscribe(() => undefined)
    await settle()
    for (const frame of frames) frame()
    expect(pages.map(({ after, limit }) => [after, limit])).toEqual([
      [undefined, undefined],
      [6, 10_000],
    ])
    expect(streams).toEqual([])
    expect(feed.getState().link).toBe('over')
    expect(feed.getState().viewState.events).toEqual(stored)
  })

  it('the feed reduces a large history in several tasks and shows it when it is complete', async () => {
    const many = Array.from({ length: 5000 }, (_, index) =>
      sampleEvent('usage', { runId: 'root', agent: 'Newsroom', instance: 'Newsroom', depth: 0, time: index }),
    )
    const events = numbered([...harbourRun().slice(0, 2), ...many])
    const { feed, streams, frames, tasks } = await play([{ events, lastSeq: events.length }])
    const shown: number[] = []
    feed.subscribe(() => shown.push(feed.getState().viewState.events.length))
    await settle()
    frames[0]?.()
    expect([tasks.length, shown]).toEqual([1, []])
    // what arrives in the meantime is reduced after it
    const next = sampleEvent('usage', { runId: 'root', agent: 'Newsroom', instance: 'Newsroom', depth: 0 })
    streams[0]?.send([{ ...next, seq: events.length + 1 }])
    await settle()
    let count = 0
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      count += 1
      task()
    }
    expect(count).toBeGreaterThan(2)
    expect([shown, frames.length]).toEqual([[events.length], 2])
    frames[1]?.()
    expect(shown).toEqual([events.length, events.length + 1])
    expect(feed.getState().viewState.timeline.runs[0]?.usage.modelCalls).toBe(5001)
  })

  it('the feed follows an open run after the last of its stored events', async () => {
    const stored = harbourRun().filter(({ seq }) => seq !== undefined)
    const { feed, streams, frames } = await play([{ events: stored.slice(0, 6), lastSeq: 6 }])
    feed.subscribe(() => undefined)
    await settle()
    expect(streams.map(({ options }) => options.after)).toEqual([6])
    streams[0]?.send(stored.slice(6))
    await settle()
    for (const frame of frames) frame()
    expect(feed.getState().viewState.events).toEqual(stored)
  })

  it('the feed takes all events from the stream if the stored ones cannot be loaded', async () => {
    const { feed, streams } = await play([new ApiError(failure('internal', 'No.'))])
    feed.subscribe(() => undefined)
    await settle()
    expect(streams.map(({ options }) => options.after)).toEqual([0])
  })
})
