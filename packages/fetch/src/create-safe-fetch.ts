import type { LookupAddress } from 'node:dns'
import { lookup as lookupHost } from 'node:dns/promises'
import type { IncomingMessage, request as sendRequest } from 'node:http'
import { troupeError, type TroupeError, errorMessage } from '@troupe/schema'
import { checkUrl, refusedUrlError, resolveHost } from './resolve-host.ts'
import type { FetchResult, FetchNetwork, FetchRules, SafeFetch } from './fetch-types.ts'
import type { LookupFunction } from 'node:net'

const MAX_BYTES = 1024 * 1024
const TIMEOUT_MS = 10_000
const MAX_REDIRECTS = 3
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Creates a fetch for untrusted URLs, such as those of cards, images and metadata. Every redirect is checked
 * like the first request and is connected to the checked IP address. Sends no cookies or process credentials
 * and uses no proxy.
 */
export function createSafeFetch(network: FetchNetwork): SafeFetch {
  return async (text, rules = {}) => {
    const deadline = openDeadline(text, rules, network)
    try {
      return await followAll(text, rules, { network, signal: deadline.signal })
    } catch (thrown) {
      // prefer the reason for the abort over the error that it caused
      throw deadline.signal.aborted ? deadline.signal.reason : thrown
    } finally {
      deadline.clear()
    }
  }
}

interface FetchContext {
  readonly network: FetchNetwork
  readonly signal: AbortSignal
}

async function followAll(text: string, rules: FetchRules, work: FetchContext): Promise<FetchResult> {
  const first = checkUrl(text, rules)
  const { maxRedirects = rules.body === undefined ? MAX_REDIRECTS : 0 } = rules
  let url = first
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const answer = await sendTo(
      url,
      { ...rules, headers: url.origin === first.origin ? (rules.headers ?? {}) : {} },
      work,
    )
    const next = redirectOf(answer)
    if (next === undefined) return receive(answer, url, rules)
    answer.destroy()
    const target = checkUrl(next, rules, url)
    if (rules.sameHost === true && target.hostname !== first.hostname)
      throw refusedUrlError(`${url.href} redirects to another host: ${target.href}`)
    url = target
  }
  throw refusedUrlError(`${first.href} redirected more than ${maxRedirects} times.`)
}

async function sendTo(
  url: URL,
  rules: FetchRules,
  { network, signal }: FetchContext,
): Promise<IncomingMessage> {
  const lookup = network.lookup ?? lookupAll
  const target = await raceAbort(resolveHost(url, rules, lookup), signal)
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  network.onConnect?.({ host: url.hostname, address: target.address, port })
  // Loaded on first use, because importing `node:http` also loads the `fetch` of Node, which takes 70 ms.
  const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  const { headers = {}, body } = rules
  return requestOnce(request, { url, target, headers, body, ca: network.ca, signal })
}

function lookupAll(host: string): Promise<LookupAddress[]> {
  return lookupHost(host, { all: true })
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return REDIRECTS.has(statusCode) ? headers.location : undefined
}

async function receive(answer: IncomingMessage, url: URL, rules: FetchRules): Promise<FetchResult> {
  try {
    const { statusCode = 0 } = answer
    if (!isAccepted(statusCode, rules))
      throw troupeError('url_failed', `${url.href} responded with status ${statusCode}.`)
    const written = (answer.headers['content-type'] ?? '').toLowerCase()
    const contentType = written.split(';', 1)[0]?.trim() ?? ''
    if (rules.contentTypes?.includes(contentType) === false) {
      const what = contentType === '' ? 'no content type' : `the content type ${contentType}`
      throw refusedUrlError(`${url.href} has ${what}; expected ${rules.contentTypes.join(' or ')}.`)
    }
    const charset = /;\s*charset="?(?<name>[^";\s]+)/u.exec(written)?.groups?.['name']
    const body = await readBody(answer, url, rules.maxBytes ?? MAX_BYTES)
    return {
      url: url.href,
      contentType,
      ...(charset === undefined ? {} : { charset }),
      body,
      ...(rules.anyStatus === true ? { status: statusCode } : {}),
    }
  } finally {
    answer.destroy()
  }
}

function isAccepted(status: number, { anyStatus, anySuccess }: FetchRules): boolean {
  if (anyStatus === true) return true
  return anySuccess === true ? status >= 200 && status < 300 : status === 200
}

/** Combines the timeout and the caller's signal into one signal. */
function openDeadline(
  text: string,
  { timeout = TIMEOUT_MS, signal }: FetchRules,
  { clock }: FetchNetwork,
): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController()
  const cancel = clock.after(timeout, () =>
    controller.abort(
      troupeError('url_timeout', `${text.slice(0, 200)} was not fetched within ${timeout} ms.`),
    ),
  )
  const abort = (): void => controller.abort(signal?.reason)
  if (signal?.aborted === true) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    clear: () => {
      cancel()
      signal?.removeEventListener('abort', abort)
    },
  }
}

/** Rejects when `signal` aborts. A DNS lookup cannot be cancelled, so it continues in the background. */
function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as TroupeError)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** A request to an address that has been checked. */
interface PinnedRequest {
  readonly url: URL
  /** IP address to connect to. Later DNS changes have no effect. */
  readonly target: LookupAddress
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
  readonly ca: readonly string[] | undefined
  readonly signal: AbortSignal
}

/** Sends a request and resolves with the response before its body. Throws `url_failed`. */
function requestOnce(send: typeof sendRequest, pinned: PinnedRequest): Promise<IncomingMessage> {
  const { url, target, headers, body, ca, signal } = pinned
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        // no shared agent, so no proxy from the environment and no reused connection
        agent: false,
        method: body === undefined ? 'GET' : 'POST',
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
    request.end(body)
  })
}

function pin({ address, family }: LookupAddress): LookupFunction {
  return (_host, options, done) => {
    if (options.all === true) done(null, [{ address, family }])
    else done(null, address, family)
  }
}

/** Reads a body up to `maxBytes`. Throws `url_too_large`, `url_failed`, or `url_refused` if compressed. */
async function readBody(answer: IncomingMessage, url: URL, maxBytes: number): Promise<Buffer> {
  const encoding = answer.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity')
    throw refusedUrlError(
      `${url.href} responded with compressed content (${encoding}), which was not requested.`,
    )
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
    throw troupeError('url_failed', `${url.origin} closed the connection early: ${errorMessage(cause)}.`, {
      cause,
    })
  }
  if (size > maxBytes) throw tooLarge(url, maxBytes)
  return Buffer.concat(chunks)
}

function tooLarge(url: URL, maxBytes: number): Error {
  return troupeError('url_too_large', `${url.href} has more than ${maxBytes} bytes.`)
}
