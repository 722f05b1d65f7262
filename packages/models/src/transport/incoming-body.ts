import type { IncomingMessage } from 'node:http'
import { decodedBody } from './decoded-body.ts'
import type { Watched } from './limited-fetch.ts'

/** Bytes that may wait for their reader before the provider is made to wait. */
const MOST_WAITING = 1_048_576

type Bytes = Buffer<ArrayBuffer>

/**
 * The body of an answer, read when asked for. What has come until then goes on as one piece, as streams cost by the piece. Errors are told to a
 * reader who waits, to nobody else.
 */
export function incomingBody(
  incoming: IncomingMessage,
  { watch, checkFor }: Watched,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const check = checkFor({ isOk: (incoming.statusCode ?? 0) < 300 })
  const arrivals = arrivalsOf(incoming, watch)
  const next = async (): Promise<Bytes | undefined> => {
    if (watch.over === undefined) await arrivals.some()
    if (watch.over !== undefined) throw watch.over.why
    const piece = arrivals.take()
    check(piece)
    return piece
  }
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const piece = await next()
          if (piece !== undefined) {
            watch.touch()
            controller.enqueue(piece)
            return
          }
          watch.end()
          controller.close()
        } catch (thrown) {
          watch.abandon(thrown)
          throw watch.over?.why ?? thrown
        }
      },
      cancel: (reason) => watch.abandon(reason),
    },
    { highWaterMark: 0 },
  )
}

/** What has come and is not read yet. */
interface Arrivals {
  /** Resolves when there is something to take. */
  some(): Promise<void> | undefined
  /** All of it; undefined: the body has ended. Throws when the line was cut. */
  take(): Bytes | undefined
}

function arrivalsOf(incoming: IncomingMessage, watch: Watched['watch']): Arrivals {
  const body = decodedBody(incoming)
  let pieces: Bytes[] = []
  let size = 0
  let end: { readonly cut?: unknown } | undefined
  let wake: (() => void) | undefined
  const ring = (): void => wake?.()
  const finish = (how: { readonly cut?: unknown }): void => {
    end = how
    ring()
  }
  body.on('data', (piece: Bytes) => {
    size += piece.length
    if (size > MOST_WAITING) body.pause()
    if (pieces.push(piece) === 1) ring()
  })
  body.on('end', () => finish({}))
  body.on('error', (cut) => finish({ cut }))
  watch.closes(() => {
    incoming.destroy()
    ring()
  })
  return {
    some: () =>
      pieces.length > 0 || end !== undefined
        ? undefined
        : new Promise((resolve) => {
            wake = resolve
          }),
    take: () => {
      if (pieces.length === 0) {
        if (end?.cut !== undefined) throw new TypeError('terminated', { cause: end.cut })
        return undefined
      }
      const [first] = pieces
      const all = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces)
      pieces = []
      size = 0
      if (body.isPaused()) body.resume()
      return all
    },
  }
}
