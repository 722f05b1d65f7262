import type { RunEvent } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { createRunViewFeed, type FeedPorts, type RunViewFeed } from '../src/feed/run-view-feed.ts'
import { rootOf } from '../src/reducers/run-view-state.ts'
import { harbourRun } from './harbour-run.ts'

/** An event source of a browser that the test drives. */
class PlayedSource extends EventTarget {
  readyState = 1
  isClosed = false
  close(): void {
    this.isClosed = true
  }
  send(events: readonly RunEvent[]): void {
    for (const event of events)
      this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(event) }))
  }
  fail(readyState: number): void {
    this.readyState = readyState
    this.dispatchEvent(new Event('error'))
  }
}

interface Played {
  readonly feed: RunViewFeed
  readonly paths: readonly string[]
  /** Makes the server reachable again. */
  comeBack(): void
  readonly sources: readonly PlayedSource[]
  readonly frames: (() => void)[]
  readonly timers: { readonly ms: number; readonly task: () => void }[]
}

function play({ isUnknown = false } = {}): Played {
  const sources: PlayedSource[] = []
  const frames: (() => void)[] = []
  const timers: { ms: number; task: () => void }[] = []
  const paths: string[] = []
  let comeBack = (): void => undefined
  const ports: FeedPorts = {
    open(path) {
      paths.push(path)
      const source = new PlayedSource()
      sources.push(source)
      return source as unknown as EventSource
    },
    schedule: (draw) => void frames.push(draw),
    after(ms, task) {
      timers.push({ ms, task })
      return () => undefined
    },
    isUnknown: async () => isUnknown,
    onReconnect(task) {
      comeBack = task
      return () => (comeBack = () => undefined)
    },
  }
  return {
    feed: createRunViewFeed('root', ports),
    sources,
    frames,
    timers,
    paths,
    comeBack: () => comeBack(),
  }
}

/** Lets pending promises settle. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await Promise.resolve()
}

describe('run feed', () => {
  it('the feed applies all events of a frame at once, and ends with the run', () => {
    const { feed, sources, frames } = play()
    let changes = 0
    feed.subscribe(() => (changes += 1))
    sources[0]?.send(harbourRun())
    expect([frames.length, changes]).toEqual([1, 0])
    frames[0]?.()
    expect(changes).toBe(1)
    expect(feed.getState().link).toBe('over')
    expect(rootOf(feed.getState().viewState)?.state).toBe('done')
    expect(sources[0]?.isClosed).toBe(true)
  })

  it('the feed reconnects after the browser has given up, with growing delays, and shows no event twice', async () => {
    const { feed, sources, frames, timers } = play()
    feed.subscribe(() => undefined)
    sources[0]?.send(harbourRun().slice(0, 9))
    sources[0]?.fail(2)
    expect(feed.getState().link).toBe('lost')
    await settle()
    timers[0]?.task()
    sources[1]?.fail(2)
    await settle()
    timers[1]?.task()
    expect(timers.map(({ ms }) => ms)).toEqual([1000, 2000])
    sources[2]?.send(harbourRun())
    for (const frame of frames) frame()
    expect(feed.getState().viewState.events).toHaveLength(
      harbourRun().filter(({ seq }) => seq !== undefined).length,
    )
    expect(feed.getState().link).toBe('over')
  })

  it('the feed does not reconnect while the browser does', async () => {
    const { feed, sources, timers } = play()
    feed.subscribe(() => undefined)
    sources[0]?.fail(0)
    await settle()
    expect([feed.getState().link, timers.length]).toEqual(['lost', 0])
    sources[0]?.dispatchEvent(new Event('open'))
    expect(feed.getState().link).toBe('live')
  })

  it('the feed disconnects without subscribers, and does not connect to a run that has ended', () => {
    const { feed, sources, frames } = play()
    const leave = feed.subscribe(() => undefined)
    leave()
    expect(sources[0]?.isClosed).toBe(true)
    feed.subscribe(() => undefined)
    sources[1]?.send(harbourRun())
    frames[0]?.()
    feed.subscribe(() => undefined)
    expect(sources).toHaveLength(2)
  })

  it('the feed reopens its stream after its last event when a lost server responds again', () => {
    const { feed, sources, frames, paths, comeBack } = play()
    const leave = feed.subscribe(() => undefined)
    sources[0]?.send(harbourRun().slice(0, 4))
    frames[0]?.()
    const { seq } = feed.getState().viewState.timeline
    expect(seq).toBeGreaterThan(0)
    comeBack()
    expect(sources[0]?.isClosed).toBe(true)
    expect(paths).toEqual(['./api/runs/root/events', `./api/runs/root/events?after=${seq}`])
    leave()
    comeBack()
    expect(sources).toHaveLength(2)
  })

  it('the feed does not repeat requests for a run that the server does not have', async () => {
    const { feed, sources, timers } = play({ isUnknown: true })
    const leave = feed.subscribe(() => undefined)
    sources[0]?.fail(2)
    await settle()
    expect([feed.getState().link, timers.length, sources[0]?.isClosed]).toEqual(['unknown', 0, true])
    leave()
    feed.subscribe(() => undefined)
    expect(sources).toHaveLength(1)
  })
})
