import type { WatchedRequest } from './limited-fetch.ts'

/** Sends a request with the given `fetch`. The body of the response is read chunk by chunk on demand. */
export async function sendByFetch(
  plain: typeof fetch,
  [input, init]: Parameters<typeof fetch>,
  watched: WatchedRequest,
): Promise<Response> {
  const { watch } = watched
  const controller = new AbortController()
  watch.setClose((why) => controller.abort(why))
  const response = await plain(input, { ...init, signal: controller.signal })
  if (response.body === null) {
    watch.end()
    return response
  }
  const { status, statusText, headers, ok: isOk } = response
  return new Response(readBody(response.body, watched, { isOk }), { status, statusText, headers })
}

function readBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { watch, checkFor }: WatchedRequest,
  answer: { readonly isOk: boolean },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  const check = checkFor(answer)
  // cancel the body instead of aborting the signal: once a response has begun, `fetch` would reject promises
  // that have no handler
  watch.setClose((why) => {
    reader.cancel(why).catch(() => {
      // already ended or broken: nothing is left to close
    })
  })
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (watch.abandoned !== undefined) throw watch.abandoned.why
          check(value)
          if (done) {
            watch.end()
            controller.close()
            return
          }
          watch.touch()
          controller.enqueue(value)
        } catch (thrown) {
          watch.abandon(thrown)
          throw watch.abandoned?.why ?? thrown
        }
      },
      cancel: (reason) => {
        watch.end()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
