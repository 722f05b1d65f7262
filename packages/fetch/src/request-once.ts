import type { LookupAddress } from 'node:dns'
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { errorMessage, troupeError } from '@troupe/schema'
import { refusedUrlError } from './check-url.ts'

/** A request to an address that has been checked. */
export interface PinnedRequest {
  readonly url: URL
  /** IP address to connect to. Later DNS changes have no effect. */
  readonly target: LookupAddress
  readonly headers: Readonly<Record<string, string>>
  readonly ca: readonly string[] | undefined
  readonly signal: AbortSignal
}

/** Sends a GET request and resolves with the response before its body. Throws `url_failed`. */
export function requestOnce(pinned: PinnedRequest): Promise<IncomingMessage> {
  const { url, target, headers, ca, signal } = pinned
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        // no shared agent, so no proxy from the environment and no reused connection
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

/** Reads a body up to `maxBytes`. Throws `url_too_large`, `url_failed`, or `url_refused` if compressed. */
export async function readBody(answer: IncomingMessage, url: URL, maxBytes: number): Promise<Buffer> {
  const encoding = answer.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity')
    throw refusedUrlError(`${url.href} answers compressed (${encoding}), which was not asked for.`)
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(url, maxBytes)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) break
      chunks.push(chunk)
    }
  } catch (cause) {
    throw troupeError('url_failed', `${url.origin} broke off: ${errorMessage(cause)}.`, { cause })
  }
  if (size > maxBytes) throw tooLarge(url, maxBytes)
  return Buffer.concat(chunks)
}

function tooLarge(url: URL, maxBytes: number): Error {
  return troupeError('url_too_large', `${url.href} has more than ${maxBytes} bytes.`)
}
