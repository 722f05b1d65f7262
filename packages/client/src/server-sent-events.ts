import { invalidResponse, unreachable } from './api-error.ts'

/** A server-sent event. */
export interface ServerSentEvent {
  /** Type of the event. Default: `message`. */
  readonly event: string
  readonly data: string
  /** The `id` of the event; `undefined` if it has none. */
  readonly id?: string
}

/** Maximum length of one event, in characters. */
const MAX_LENGTH = 64 * 1024 * 1024

/**
 * Reads the server-sent events of a body until it ends. An event that is cut off is dropped. `onData` is called
 * for everything that arrives, including comments. Throws if an event is too long, or if nothing arrives for
 * `maxSilenceMs`.
 */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  { maxSilenceMs, onData }: { readonly maxSilenceMs: number; onData(): void },
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let event = ''
  let data: string | undefined
  let id: string | undefined
  for (;;) {
    const { done, value } = await withTimeout(reader.read(), maxSilenceMs)
    if (done) return
    onData()
    text += decoder.decode(value, { stream: true })
    // A `\r` at the end may be the first half of a line break.
    const lines = text.split(/\r\n|\n|\r(?!$)/u)
    text = lines.pop() ?? ''
    for (const line of lines) {
      const [name, content] = parseField(line)
      if (name === 'event') event = content
      if (name === 'id') id = content
      if (name === 'data') data = data === undefined ? content : `${data}\n${content}`
      if (line !== '') continue
      if (data !== undefined) yield toEvent({ event, data, id })
      event = ''
      data = undefined
      id = undefined
    }
    if (text.length + (data?.length ?? 0) > MAX_LENGTH)
      throw invalidResponse(`A server-sent event is longer than ${MAX_LENGTH} characters.`)
  }
}

function toEvent({
  event,
  data,
  id,
}: {
  readonly event: string
  readonly data: string
  readonly id: string | undefined
}): ServerSentEvent {
  return { event: event === '' ? 'message' : event, data, ...(id === undefined ? {} : { id }) }
}

/** Splits a line into the name and the value of a field. The name of a comment is empty. */
function parseField(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':')
  if (colon < 0) return [line, '']
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)]
}

/** Rejects with an {@link ApiError} if a promise does not settle in time. */
export async function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(unreachable(`Nothing was received for ${ms} ms.`)), ms)
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
