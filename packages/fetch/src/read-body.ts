import type { IncomingMessage } from 'node:http'
import { errorMessage, troupeError } from '@troupe/schema'
import { refusedUrlError } from './check-url.ts'

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
