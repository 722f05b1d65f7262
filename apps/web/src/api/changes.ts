import type { Change } from '@troupe/client'
import { useSyncExternalStore } from 'react'
import { createChangeHub, type HubMessage, type PageMessage } from './change-hub.ts'
import { client } from './client.ts'
import { createPageChanges, type PageChanges } from './page-changes.ts'
import { serverLink } from './server-link.ts'

type Connect = (receive: (message: HubMessage) => void) => (message: PageMessage) => void

/** Connects to the worker that all pages of the browser share. Browsers without such workers get a stream per page. */
const connect: Connect = (receive) => {
  if (!('SharedWorker' in globalThis)) return connectHere(receive)
  const worker = new SharedWorker(new URL('./change-worker.ts', import.meta.url), { type: 'module' })
  let send: (message: PageMessage) => void = (message) => worker.port.postMessage(message, [])
  worker.addEventListener('error', () => {
    worker.port.close()
    send = connectHere(receive)
  })
  worker.port.addEventListener('message', ({ data }: MessageEvent<HubMessage>) => receive(data))
  worker.port.start()
  return (message) => send(message)
}

const connectHere: Connect = (receive) => {
  const hub = createChangeHub({
    changes: client.changes,
    after: (ms, task) => {
      const timer = setTimeout(task, ms)
      return () => clearTimeout(timer)
    },
    now: () => Date.now(),
  })
  return hub.connect(receive)
}

/** The changes of the server of the page. */
export const changes: PageChanges = createPageChanges({
  connect,
  every: (ms, task) => void setInterval(task, ms),
  onVisit({ leave, enter }) {
    addEventListener('pagehide', leave)
    addEventListener('pageshow', ({ persisted }) => persisted && enter())
  },
  reportReachable: (isReachable) =>
    isReachable ? serverLink.reportReachable() : serverLink.reportUnreachable(),
})

// A server that responds to a request again will accept the stream too.
let { returns } = serverLink.getState()
serverLink.subscribe(() => {
  const now = serverLink.getState().returns
  if (now === returns) return
  returns = now
  if (changes.getLink() === 'lost') changes.retry()
})

/** Returns true if requests have to be repeated, because the stream of changes fails. */
export function useIsFailing(): boolean {
  return useSyncExternalStore(changes.onLink, changes.isFailing)
}

/** Returns a condition that is true when a list of the server, such as `schedules`, has to be loaded again. */
export function isReloadOf(list: string): (change: Change) => boolean {
  return (change) => change.type === 'reload' && change.list === list
}
