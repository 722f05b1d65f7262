import { useSyncExternalStore } from 'react'
import { serverLink, type ServerLinkState } from './server-link.ts'

/** Returns the state of the server link, with updates. */
export function useServerLink(): ServerLinkState {
  return useSyncExternalStore(serverLink.subscribe, serverLink.getState)
}
