import type { FetchLike } from '@modelcontextprotocol/client'
import { troupeError, type Clock } from '@troupe/schema'
import { createGuardedFetch } from '../http/guarded-fetch.ts'

const MAX_BYTES = 1024 * 1024
const TIMEOUT = 30_000

/**
 * Creates the fetch for requests to the authorization server. It sends no headers meant for the MCP server,
 * limits the size of a response and the time it takes, and follows redirects only for GET, because other
 * requests carry secrets.
 */
export function createAuthorizationFetch({ clock }: { readonly clock: Clock }): FetchLike {
  const fetch = createGuardedFetch({ maxMessageBytes: MAX_BYTES })
  return async (url, init = {}) => {
    const stop = new AbortController()
    const cancel = clock.after(TIMEOUT, () => stop.abort(tooSlow(url)))
    const signal = init.signal ? AbortSignal.any([init.signal, stop.signal]) : stop.signal
    const sendsSecrets = (init.method ?? 'GET').toUpperCase() !== 'GET'
    try {
      return await fetch(url, { ...init, signal, redirect: sendsSecrets ? 'error' : 'follow' })
    } finally {
      cancel()
    }
  }
}

function tooSlow(url: string | URL): Error {
  const { origin } = new URL(url)
  return troupeError('mcp_auth_failed', `${origin} did not answer within ${TIMEOUT / 1000} s.`)
}
