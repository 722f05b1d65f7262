import { useSyncExternalStore } from 'react'

/** Tracks from the requests of the page whether the server is reachable. */
interface ServerLink {
  subscribe(onChange: () => void): () => void
  getState(): ServerLinkState
  /** Notes that a request was answered, with whatever status. */
  reportReachable(): void
  /** Notes that a request got no response. */
  reportUnreachable(): void
}

/** The reachability of the server. */
interface ServerLinkState {
  readonly isLost: boolean
  /**
   * Number of times the server has responded again after it was lost. Data from before may be out of date.
   */
  readonly returns: number
}

/** Creates a link to a server that is assumed to be reachable. */
export function createServerLink(): ServerLink {
  const listeners = new Set<() => void>()
  let state: ServerLinkState = { isLost: false, returns: 0 }
  const change = (next: ServerLinkState): void => {
    state = next
    for (const listener of listeners) listener()
  }
  return {
    subscribe(onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    getState: () => state,
    reportReachable() {
      if (state.isLost) change({ isLost: false, returns: state.returns + 1 })
    },
    reportUnreachable() {
      if (!state.isLost) change({ ...state, isLost: true })
    },
  }
}

/** The link to the server of the page. */
export const serverLink: ServerLink = createServerLink()

/** Returns the state of the server link, with updates. */
export function useServerLink(): ServerLinkState {
  return useSyncExternalStore(serverLink.subscribe, serverLink.getState)
}
