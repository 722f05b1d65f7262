import { ApiError, type Change, type FollowOptions, type RunEvent } from '@troupe/client'
import type { ChangeLink, HubMessage, PageMessage } from './change-hub.ts'

/** The changes of the server, as one page receives them. */
export interface PageChanges {
  /** Calls the listener with each change of a list. Returns a function that removes it. */
  subscribe(listener: (change: Change) => void): () => void
  /** Calls the listener when the state of the stream changes. Returns a function that removes it. */
  onLink(listener: () => void): () => void
  getLink(): ChangeLink
  /** Returns true if requests have to be repeated, because the stream has failed twice. */
  isFailing(): boolean
  /** Yields the events of a run from a position to its end. Rejects if the server refuses the run. */
  follow(runId: string, options?: FollowOptions): AsyncGenerator<RunEvent, void, undefined>
  /** Opens the stream again at once, for example after signing in. */
  retry(): void
}

/** The functions that the changes of a page call, injected for tests. */
export interface PageChangesPorts {
  /** Connects to the hub. Called once, at the first use. */
  connect(receive: (message: HubMessage) => void): (message: PageMessage) => void
  /** Calls `task` after each period of `ms` milliseconds. */
  every(ms: number, task: () => void): void
  /** Calls `leave` when the page is closed or put aside, and `enter` when it is shown again. */
  onVisit(visit: { leave(): void; enter(): void }): void
  /** Called when the state of the stream shows whether the server responds. */
  reportReachable(isReachable: boolean): void
}

/** Number of failed attempts after which the page polls. */
const MAX_FAILURES = 2
/** Interval in ms at which the page shows the hub that it is open. */
const ALIVE_MS = 30_000

interface RunFollower {
  after: number
  readonly events: RunEvent[]
  isOver: boolean
  error?: ApiError
  wake(): void
  readonly onConnection: FollowOptions['onConnection']
}

/** Creates the changes of a page, which connects at the first use. */
export function createPageChanges(ports: PageChangesPorts): PageChanges {
  const listeners = new Set<(change: Change) => void>()
  const linkListeners = new Set<() => void>()
  const runs = new Map<string, Set<RunFollower>>()
  let link: ChangeLink = 'opening'
  let failures = 0
  let send: ((message: PageMessage) => void) | undefined

  function post(message: PageMessage): void {
    if (send === undefined) {
      send = ports.connect(receive)
      ports.every(ALIVE_MS, sendRuns)
      ports.onVisit({ leave: () => send?.({ type: 'close' }), enter: sendRuns })
    }
    send(message)
  }

  function sendRuns(): void {
    const followed = [...runs].map(
      ([runId, followers]) => [runId, Math.min(...[...followers].map(({ after }) => after))] as const,
    )
    post({ type: 'follow', runs: followed })
  }

  function receive(message: HubMessage): void {
    if (message.type === 'link') return changeLink(message)
    for (const change of message.changes) receiveChange(change)
    for (const followers of runs.values()) for (const { wake } of followers) wake()
  }

  function changeLink({ link: next, failures: count }: Extract<HubMessage, { readonly type: 'link' }>): void {
    const before = link
    link = next
    failures = count
    if (link === 'open' || link === 'refused') ports.reportReachable(true)
    if (link === 'lost') ports.reportReachable(false)
    for (const listener of linkListeners) listener()
    if (link === before) return
    for (const followers of runs.values()) for (const { onConnection } of followers) reportLink(onConnection)
  }

  function reportLink(onConnection: FollowOptions['onConnection']): void {
    if (link !== 'opening') onConnection?.(link === 'open' ? 'open' : 'lost')
  }

  function receiveChange(change: Change): void {
    switch (change.type) {
      case 'run':
        for (const run of runs.get(change.event.rootRunId) ?? []) addEvent(run, change.event)
        break
      case 'run-over':
        for (const run of runs.get(change.runId) ?? []) run.isOver = true
        break
      case 'run-refused':
        for (const run of runs.get(change.runId) ?? []) run.error = new ApiError(change.error)
        break
      default:
        for (const listener of listeners) listener(change)
    }
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      if (send === undefined) sendRuns()
      return () => void listeners.delete(listener)
    },
    onLink(listener) {
      linkListeners.add(listener)
      return () => void linkListeners.delete(listener)
    },
    getLink: () => link,
    isFailing: () => failures >= MAX_FAILURES || link === 'refused',
    async *follow(runId, { after = 0, signal, onConnection } = {}) {
      let wake = (): void => undefined
      const run: RunFollower = { after, events: [], isOver: false, onConnection, wake: () => wake() }
      const followers = runs.get(runId) ?? new Set()
      // The hub takes the position of a run only when the page begins to follow it.
      if (runs.delete(runId)) sendRuns()
      runs.set(runId, followers.add(run))
      const onAbort = (): void => wake()
      signal?.addEventListener('abort', onAbort)
      try {
        sendRuns()
        reportLink(onConnection)
        for (;;) {
          signal?.throwIfAborted()
          yield* run.events.splice(0)
          if (run.error !== undefined) throw run.error
          if (run.isOver) return
          if (run.events.length === 0) await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        signal?.removeEventListener('abort', onAbort)
        followers.delete(run)
        if (followers.size === 0) runs.delete(runId)
        sendRuns()
      }
    },
    retry: () => post({ type: 'retry' }),
  }
}

function addEvent(run: RunFollower, event: RunEvent): void {
  if (event.seq !== undefined && event.seq <= run.after) return
  run.after = event.seq ?? run.after
  run.events.push(event)
  run.isOver ||= event.type === 'run-end' && event.runId === event.rootRunId
}
