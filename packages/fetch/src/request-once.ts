import type { LookupAddress } from 'node:dns'
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { errorMessage, troupeError } from '@troupe/schema'

/** One request to an address that was checked. */
export interface PinnedRequest {
  readonly url: URL
  /** Connected to, whatever the host resolves to by now. */
  readonly target: LookupAddress
  readonly headers: Readonly<Record<string, string>>
  readonly ca: readonly string[] | undefined
  readonly signal: AbortSignal
}

/** Sends a GET and resolves with the answer before its body. Throws `url_failed`. */
export function requestOnce(pinned: PinnedRequest): Promise<IncomingMessage> {
  const { url, target, headers, ca, signal } = pinned
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        // an agent of its own: no proxy of the environment, no connection that somebody else opened
        agent: false,
        lookup: pin(target),
        headers: { accept: '*/*', 'accept-encoding': 'identity', ...headers },
        signal,
        ...(ca === undefined ? {} : { ca: [...ca] }),
      },
      resolve,
    )
    request.on('error', (cause) => {
      reject(
        troupeError('url_failed', `${url.origin} could not be reached: ${errorMessage(cause)}.`, { cause }),
      )
    })
    request.end()
  })
}

function pin({ address, family }: LookupAddress): LookupFunction {
  return (_host, options, done) => {
    if (options.all === true) done(null, [{ address, family }])
    else done(null, address, family)
  }
}
