import type { Arrivals, Bytes } from './arrivals.ts'
import type { Watched } from './limited-fetch.ts'

/** Creates the body of a response, read on demand. Errors reach a reader only. */
export function incomingBody(
  arrivals: Arrivals,
  { watch, checkFor }: Watched,
  answer: { readonly isOk: boolean },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const check = checkFor(answer)
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
