import { useSyncExternalStore } from 'react'
import { serverLink, type ServerLinkState } from './server-link.ts'

/** Returns whether the server of the page answers, and follows it. */
export function useServerLink(): ServerLinkState {
  return useSyncExternalStore(serverLink.subscribe, serverLink.getState)
}
