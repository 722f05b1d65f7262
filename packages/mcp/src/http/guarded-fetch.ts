import type { FetchLike } from '@modelcontextprotocol/client'
import { isJsonObject } from '@troupe/schema'
import { guardedEventStream } from './guarded-event-stream.ts'
import { MessageMeter } from '../messages/message-meter.ts'
import { createLossResponse, oversizeMessage } from '../messages/loss-response.ts'

/**
 * Creates a fetch with bounded responses: a message over the limit fails only its own call and is never held
 * in memory whole.
 */
export function createGuardedFetch(options: { readonly maxMessageBytes: number }): FetchLike {
  const { maxMessageBytes } = options
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.body === null || isRedirect(response)) return response
    const requestId = requestIdOf(init?.body)
    if (isEventStream(response))
      return withBody(response, guardedEventStream(response.body, { requestId, maxMessageBytes }))
    const { text, excess } = await readBounded(response.body, maxMessageBytes)
    if (excess === undefined) return withBody(response, text)
    const message = oversizeMessage(excess)
    if (requestId === undefined || !response.ok) return withBody(response, message)
    return Response.json(createLossResponse(requestId, { code: 'mcp_oversize', message }))
  }
}

function isRedirect(response: Response): boolean {
  return response.status >= 300 && response.status < 400
}

function isEventStream(response: Response): boolean {
  return (
    response.ok && (response.headers.get('content-type') ?? '').toLowerCase().startsWith('text/event-stream')
  )
}

function withBody(response: Response, body: string | ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}

/** Returns the id of the JSON-RPC request in the body; `undefined` for notifications and without a body. */
function requestIdOf(body: unknown): string | number | undefined {
  if (typeof body !== 'string') return undefined
  const message: unknown = JSON.parse(body)
  if (!isJsonObject(message) || message['method'] === undefined) return undefined
  const { id } = message
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** Returns the whole body, or why it is too large. */
async function readBounded(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly text: string; readonly excess?: string }> {
  const chunks: Uint8Array[] = []
  const size = new MessageMeter(maxBytes)
  for await (const chunk of body) {
    size.add(chunk)
    const { excess } = size
    if (excess !== undefined) return { text: '', excess }
    chunks.push(chunk)
  }
  return { text: Buffer.concat(chunks, size.bytes).toString('utf8') }
}
