import { ApiError, type Change, type ChangeOptions, type ReceivedChange, type RunEvent } from '@troupe/client'
import { failure } from '@troupe/schema'
import { fakeClock, settle } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createChangeHub, type HubMessage } from '../src/api/change-hub.ts'
import { createPageChanges, type PageChanges } from '../src/api/page-changes.ts'
import { harbourRun } from './harbour-run.ts'

/** A stream of changes that the test drives. */
class PlayedChanges {
  readonly options: ChangeOptions
  #changes: ReceivedChange[] = []
  #error: Error | undefined
  #wake: () => void = () => undefined

  constructor(options: ChangeOptions) {
    this.options = options
    options.signal?.addEventListener('abort', () => this.#wake())
  }
  get isClosed(): boolean {
    return this.options.signal?.aborted === true
  }
  send(...changes: ReceivedChange[]): void {
    this.#changes.push(...changes)
    this.#wake()
  }
  refuse(error: Error): void {
    this.#error = error
    this.#wake()
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<ReceivedChange, void, undefined> {
    while (!this.isClosed) {
      yield* this.#changes.splice(0)
      if (this.#error !== undefined) throw this.#error
      if (this.#changes.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}

interface OpenedPage {
  readonly changes: PageChanges
  readonly received: readonly Change[]
  readonly reachable: readonly boolean[]
  leave(): void
}

function playHub() {
  const clock = fakeClock()
  const streams: PlayedChanges[] = []
  const hub = createChangeHub({
    changes(options) {
      const stream = new PlayedChanges(options)
      streams.push(stream)
      return stream
    },
    after: (ms, task) => clock.after(ms, task),
    now: () => clock.now(),
  })
  /** Opens a page that listens to changes. Messages arrive in a later turn, as those of a worker do. */
  const openPage = (): OpenedPage => {
    const received: Change[] = []
    const reachable: boolean[] = []
    let leave = (): void => undefined
    const changes = createPageChanges({
      connect(receive: (message: HubMessage) => void) {
        const post = hub.connect((message) => void setImmediate(() => receive(structuredClone(message))))
        return (message) => post(structuredClone(message))
      },
      every: () => undefined,
      onVisit: (visit) => (leave = visit.leave),
      reportReachable: (isReachable) => void reachable.push(isReachable),
    })
    changes.subscribe((change) => received.push(change))
    return { changes, received, reachable, leave: () => leave() }
  }
  return { clock, streams, openPage }
}

const RESET: ReceivedChange = { type: 'reset', id: 'e-1' }
const EVENTS = harbourRun().filter(({ seq }) => seq !== undefined)

const toChanges = (events: readonly RunEvent[]): ReceivedChange[] =>
  events.map((event) => ({ type: 'run', event }))

/** Collects the events of a run until it ends. */
function follow({ changes }: OpenedPage, runId: string, after = 0) {
  const events: RunEvent[] = []
  const closing = new AbortController()
  const done = (async () => {
    for await (const event of changes.follow(runId, { after, signal: closing.signal })) events.push(event)
  })()
  done.catch(() => undefined)
  return { events, done, close: () => closing.abort() }
}

describe('change hub', () => {
  it('eight pages share one stream, and each gets the changes of the lists', async () => {
    const { clock, streams, openPage } = playHub()
    const pages = Array.from({ length: 8 }, openPage)
    await clock.advance(100)
    streams[0]?.options.onConnection?.('open')
    streams[0]?.send(RESET, { type: 'approvals', total: 2, id: 'e-2' })
    await clock.advance(100)
    expect(streams).toHaveLength(1)
    for (const { received, changes } of pages) {
      expect(received).toEqual([{ type: 'reset' }, { type: 'approvals', total: 2 }])
      expect(changes.getLink()).toBe('open')
    }
    for (const page of pages) page.leave()
    expect(streams[0]?.isClosed).toBe(true)
  })

  it('a run is followed on the same stream, which continues after its last change', async () => {
    const { clock, streams, openPage } = playHub()
    const [one, other] = [openPage(), openPage()]
    await clock.advance(100)
    streams[0]?.send(RESET)
    await clock.advance(10)
    const followed = follow(one, 'root', 3)
    await clock.advance(100)
    expect(streams[0]?.isClosed).toBe(true)
    expect(streams[1]?.options).toMatchObject({ after: 'e-1', runs: new Map([['root', 3]]) })
    streams[1]?.send(...toChanges(EVENTS.slice(3)))
    await clock.advance(100)
    await followed.done
    expect(followed.events).toEqual(EVENTS.slice(3))
    expect(other.received).toEqual([{ type: 'reset' }])
    await clock.advance(10_000)
    expect(streams).toHaveLength(2)
  })

  it('a second page gets the events of a run from its own position on, and the first gets none twice', async () => {
    const { clock, streams, openPage } = playHub()
    const [one, other] = [openPage(), openPage()]
    const first = follow(one, 'root', 0)
    await clock.advance(100)
    streams.at(-1)?.send(...toChanges(EVENTS.slice(0, 6)))
    await clock.advance(100)
    const second = follow(other, 'root', 4)
    await clock.advance(100)
    expect(streams.at(-1)?.options.runs).toEqual(new Map([['root', 4]]))
    streams.at(-1)?.send(...toChanges(EVENTS.slice(4)))
    await clock.advance(100)
    await Promise.all([first.done, second.done])
    expect(first.events).toEqual(EVENTS)
    expect(second.events).toEqual(EVENTS.slice(4))
  })

  it('a run that no page follows any more leaves the stream', async () => {
    const { clock, streams, openPage } = playHub()
    const followed = follow(openPage(), 'root')
    await clock.advance(100)
    followed.close()
    await settle()
    await clock.advance(5000)
    expect(streams.at(-1)?.options.runs).toEqual(new Map())
  })

  it('a run that the server refuses ends with its error, and the stream continues without it', async () => {
    const { clock, streams, openPage } = playHub()
    const page = openPage()
    const followed = follow(page, 'root')
    await clock.advance(100)
    const { class: kind, code, message, remediation } = failure('run_unknown', 'No.')
    streams
      .at(-1)
      ?.send({ type: 'run-refused', runId: 'root', error: { class: kind, code, message, remediation } })
    streams.at(-1)?.send({ type: 'approvals', total: 1, id: 'e-2' })
    await clock.advance(100)
    await expect(followed.done).rejects.toMatchObject({ code: 'run_unknown' })
    expect(page.received).toEqual([{ type: 'approvals', total: 1 }])
  })

  it('the server counts as lost at the second failure or after a short time, and pages then poll', async () => {
    const { clock, streams, openPage } = playHub()
    const { changes, reachable } = openPage()
    await clock.advance(100)
    streams[0]?.options.onConnection?.('open')
    streams[0]?.options.onConnection?.('lost', new Error('closed'))
    streams[0]?.options.onConnection?.('open')
    await clock.advance(5000)
    expect([changes.getLink(), changes.isFailing()]).toEqual(['open', false])
    streams[0]?.options.onConnection?.('lost', new Error('closed'))
    await clock.advance(2000)
    expect([changes.getLink(), changes.isFailing()]).toEqual(['lost', false])
    streams[0]?.options.onConnection?.('lost', new Error('closed'))
    await clock.advance(1)
    expect([changes.getLink(), changes.isFailing()]).toEqual(['lost', true])
    expect(reachable.at(-1)).toBe(false)
    streams[0]?.options.onConnection?.('open')
    await clock.advance(1)
    expect([reachable.at(-1), changes.isFailing()]).toEqual([true, false])
  })

  it('pages poll while the server refuses the stream, which is opened again later or after signing in', async () => {
    const { clock, streams, openPage } = playHub()
    const { changes, reachable } = openPage()
    await clock.advance(100)
    streams[0]?.refuse(new ApiError(failure('token_required', 'No.')))
    await clock.advance(100)
    expect([changes.getLink(), changes.isFailing(), reachable.at(-1)]).toEqual(['refused', true, true])
    await clock.advance(16_000)
    expect(streams).toHaveLength(2)
    changes.retry()
    await clock.advance(100)
    expect(streams).toHaveLength(3)
  })
})
