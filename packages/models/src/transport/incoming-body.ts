import type { BodyBuffer, Bytes } from './body-buffer.ts'
import type { WatchedRequest } from './limited-fetch.ts'

/** Creates the body of a response, read on demand. Errors reach a reader only. */
export function incomingBody(
  arrivals: BodyBuffer,
  { watch, checkFor }: WatchedRequest,
  answer: { readonly isOk: boolean },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const check = checkFor(answer)
  const next = async (): Promise<Bytes | undefined> => {
    if (watch.abandoned === undefined) await arrivals.waitForData()
    if (watch.abandoned !== undefined) throw watch.abandoned.why
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
          throw watch.abandoned?.why ?? thrown
        }
      },
      cancel: (reason) => watch.abandon(reason),
    },
    { highWaterMark: 0 },
  )
}
