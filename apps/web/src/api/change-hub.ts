import { ApiError, type Change, type ChangeOptions, type ReceivedChange } from '@troupe/client'

/**
 * State of the stream of changes: `refused` if the server responds but does not serve it, for example without a
 * token.
 */
export type ChangeLink = 'opening' | 'open' | 'lost' | 'refused'

/** A message from a page to the hub. */
export type PageMessage =
  /** The runs that the page follows, and the last `seq` that it has of each. Sent regularly as a sign of life. */
  | { readonly type: 'follow'; readonly runs: readonly (readonly [runId: string, after: number])[] }
  /** Opens the stream again at once. */
  | { readonly type: 'retry' }
  | { readonly type: 'close' }

/** A message from the hub to a page. */
export type HubMessage =
  /** `failures` counts the failed attempts since the stream was open. */
  | { readonly type: 'link'; readonly link: ChangeLink; readonly failures: number }
  | { readonly type: 'changes'; readonly changes: readonly Change[] }

/** Holds the stream of changes for all pages of a browser. */
interface ChangeHub {
  /** Connects a page. Returns the receiver of its messages. */
  connect(send: (message: HubMessage) => void): (message: PageMessage) => void
}

/** The functions that a hub calls, injected for tests. */
export interface HubPorts {
  changes(options: ChangeOptions): AsyncIterable<ReceivedChange>
  /** Calls `task` after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, task: () => void): () => void
  now(): number
}

/** Delay in ms before the stream is opened for a changed set of runs, so that several runs need one connection. */
const REOPEN_MS = 20
/** Delay in ms before a run that no page follows any more is removed from the stream. */
const UNFOLLOW_MS = 2000
/** Delay in ms before a refused stream is opened again. */
const REFUSED_MS = 15_000
/** Time in ms that a lost stream may need to open again before the server counts as lost. */
const GRACE_MS = 1500
/** Time without a sign of life in ms after which a page counts as closed. Pages in the background send one a minute. */
const MAX_SILENCE_MS = 180_000
/** Maximum number of runs that the server accepts on one stream. */
const MAX_RUNS = 50

interface ConnectedPage {
  readonly runs: Set<string>
  seenAt: number
}

/** Creates a hub that opens its stream when the first page connects. */
export function createChangeHub(ports: HubPorts): ChangeHub {
  const pages = new Map<(message: HubMessage) => void, ConnectedPage>()
  const positions = new Map<string, number>()
  let pending: Change[] = []
  let lastId: string | undefined
  let link: ChangeLink = 'opening'
  let failures = 0
  let connection: AbortController | undefined
  let openAt = Infinity
  let cancelOpen = (): void => undefined
  let cancelGrace = (): void => undefined

  const setLink = (next: ChangeLink): void => {
    link = next
    for (const send of pages.keys()) send({ type: 'link', link, failures })
  }

  function openIn(ms: number): void {
    const at = ports.now() + ms
    if (at >= openAt) return
    cancelOpen()
    openAt = at
    cancelOpen = ports.after(ms, () => {
      openAt = Infinity
      void open()
    })
  }

  async function open(): Promise<void> {
    connection?.abort()
    if (pages.size === 0) return
    const { signal } = (connection = new AbortController())
    const runs = new Map([...positions].slice(-MAX_RUNS))
    try {
      for await (const change of ports.changes({ after: lastId, runs, signal, onConnection: note }))
        receive(change)
    } catch {
      // The server refuses the stream: failures of the network are repeated by the client.
      if (!signal.aborted) {
        failures += 1
        setLink('refused')
        openIn(REFUSED_MS)
      }
    }

    function note(state: 'open' | 'lost', reason?: unknown): void {
      if (signal.aborted) return
      cancelGrace()
      if (state === 'open') {
        failures = 0
        return setLink('open')
      }
      failures += 1
      if (hasAnswered(reason)) return setLink('refused')
      if (failures > 1) return setLink('lost')
      cancelGrace = ports.after(GRACE_MS, () => setLink('lost'))
    }
  }

  function receive({ id, ...change }: ReceivedChange): void {
    lastId = id ?? lastId
    if (change.type === 'run') {
      const { rootRunId, runId, seq, type } = change.event
      if (type === 'run-end' && runId === rootRunId) positions.delete(rootRunId)
      else if (positions.has(rootRunId)) positions.set(rootRunId, seq ?? positions.get(rootRunId) ?? 0)
    }
    if (change.type === 'run-over' || change.type === 'run-refused') positions.delete(change.runId)
    if (pending.push(change) === 1) ports.after(0, flush)
  }

  /** Sends what has arrived: the events of a run only to the pages that follow it. */
  function flush(): void {
    const changes = pending
    pending = []
    for (const [send, { runs }] of pages) {
      const own = changes.filter((change) => {
        const runId = runIdOf(change)
        return runId === undefined || runs.has(runId)
      })
      if (own.length > 0) send({ type: 'changes', changes: own })
    }
  }

  function follow(page: ConnectedPage, runs: readonly (readonly [string, number])[]): void {
    for (const [runId, after] of runs) {
      if (page.runs.has(runId)) continue
      page.runs.add(runId)
      const position = positions.get(runId) ?? Infinity
      if (after >= position) continue
      positions.set(runId, after)
      openIn(REOPEN_MS)
    }
    const wanted = new Set(runs.map(([runId]) => runId))
    for (const runId of page.runs) if (!wanted.has(runId)) page.runs.delete(runId)
    removeUnfollowed()
  }

  function removeUnfollowed(): void {
    for (const [send, { seenAt }] of pages) if (seenAt < ports.now() - MAX_SILENCE_MS) pages.delete(send)
    const followed = new Set([...pages.values()].flatMap(({ runs }) => [...runs]))
    for (const runId of positions.keys()) {
      if (followed.has(runId)) continue
      positions.delete(runId)
      openIn(UNFOLLOW_MS)
    }
    if (pages.size === 0) connection?.abort()
  }

  return {
    connect(send) {
      const join = (): ConnectedPage => {
        const page = { runs: new Set<string>(), seenAt: ports.now() }
        pages.set(send, page)
        send({ type: 'link', link, failures })
        if (pages.size === 1) openIn(0)
        return page
      }
      join()
      return (message) => {
        if (message.type === 'retry') openIn(0)
        if (message.type === 'close') {
          pages.delete(send)
          removeUnfollowed()
        }
        if (message.type !== 'follow') return
        // A page that was silent for long, for example while the computer slept, joins again.
        const page = pages.get(send) ?? join()
        page.seenAt = ports.now()
        follow(page, message.runs)
      }
    },
  }
}

function runIdOf(change: Change): string | undefined {
  if (change.type === 'run') return change.event.rootRunId
  return change.type === 'run-over' || change.type === 'run-refused' ? change.runId : undefined
}

/** Returns true for an error of the server, in contrast to one of the network or of a proxy. */
function hasAnswered(reason: unknown): boolean {
  return (
    reason instanceof ApiError && reason.code !== 'server_unreachable' && reason.code !== 'response_invalid'
  )
}
