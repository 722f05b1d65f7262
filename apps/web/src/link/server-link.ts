/** Tracks from the requests of the page whether the server is reachable. */
export interface ServerLink {
  subscribe(onChange: () => void): () => void
  getState(): ServerLinkState
  /** A request was answered, whatever the answer says. */
  noteAnswer(): void
  /** A request got no answer. */
  noteSilence(): void
}

/** What the page knows of its server. */
export interface ServerLinkState {
  readonly isLost: boolean
  /** How often the server has answered again after it was lost. What was asked before may be out of date. */
  readonly returns: number
}

/** Creates a link to a server of which nothing bad is known. */
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
    noteAnswer() {
      if (state.isLost) change({ isLost: false, returns: state.returns + 1 })
    },
    noteSilence() {
      if (!state.isLost) change({ ...state, isLost: true })
    },
  }
}

/** The link to the server that the page came from. */
export const serverLink: ServerLink = createServerLink()
