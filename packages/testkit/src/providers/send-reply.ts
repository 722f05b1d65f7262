import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { FakeAnswer } from './fake-provider.ts'
import type { Reply } from './provider-api.ts'

const closedEarly = new WeakSet<ServerResponse>()

/** Returns true if the server closed the connection of this response deliberately. */
export function wasClosedEarly(response: ServerResponse): boolean {
  return closedEarly.has(response)
}

/**
 * Sends a response with the faults of its answer. `failed` is the error of `failAfter` in the format of the
 * API.
 */
export async function sendReply(
  response: ServerResponse,
  reply: Reply,
  options: { readonly answer: FakeAnswer; readonly failed: string | undefined },
): Promise<void> {
  const { answer, failed } = options
  const isJson = 'json' in reply
  const contentType = isJson ? 'application/json' : reply.contentType
  response.writeHead(answer.status ?? 200, { 'content-type': contentType, ...answer.headers })
  if (isJson && failed !== undefined) response.end(failed)
  else await sendPieces(response, isJson ? halves(JSON.stringify(reply.json)) : reply.chunks, options)
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

const GARBLED = 'data: {"choices":[{"del\n\n'

async function sendPieces(
  response: ServerResponse,
  pieces: readonly string[],
  { answer, failed }: { readonly answer: FakeAnswer; readonly failed: string | undefined },
): Promise<void> {
  const isAt = (position: number | undefined, index: number): boolean =>
    position !== undefined && index === Math.min(position, pieces.length - 1)
  for (const [index, piece] of pieces.entries()) {
    if (response.destroyed) return
    if (isAt(answer.breakAfter, index)) {
      closedEarly.add(response)
      response.destroy()
      return
    }
    if (isAt(answer.stallAfter, index)) return
    if (isAt(answer.endAfter, index)) break
    if (isAt(answer.failAfter?.chunks, index) && failed !== undefined) {
      response.end(failed)
      return
    }
    if (isAt(answer.garbleAfter, index)) response.write(GARBLED)
    if (isAt(answer.repeat, index)) return repeat(response, piece)
    response.write(piece)
    await nextTick()
  }
  response.end()
}

/** Repeats a chunk as fast as the client reads, until it disconnects. */
async function repeat(response: ServerResponse, piece: string): Promise<void> {
  const gone = once(response, 'close')
  const many = piece.repeat(Math.max(1, Math.ceil(4096 / piece.length)))
  while (!response.destroyed) {
    if (!response.write(many)) await Promise.race([once(response, 'drain'), gone])
    await nextTick()
  }
}
