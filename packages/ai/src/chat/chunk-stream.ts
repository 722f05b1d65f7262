import type { ChunkSink } from '@troupe/headends/chat'
import { failure, TroupeError } from '@troupe/schema'
import type { UIMessageChunk } from 'ai'

/** Options of streams for `useChat`. */
export interface ChatStreamOptions {
  /**
   * True to send each event of the run tree as `data-event`, with the prompts, arguments and results of children.
   * Default: false.
   */
  readonly sendEvents?: boolean
  /** Called with failures that the user sees only in a general form. */
  readonly onError?: (thrown: unknown) => void
}

/** Maximum length of the unread chunks of one client, in characters of JSON. */
const MAX_UNREAD = 1024 * 1024

/**
 * Creates a stream of the chunks that `start` sends. The signal of `start` aborts if `signal` does, if the stream is
 * cancelled, or if it is read too slowly.
 */
export function createChunkStream(
  start: (sink: ChunkSink, signal: AbortSignal) => void,
  {
    signal,
    sendEvents = false,
  }: Pick<ChatStreamOptions, 'sendEvents'> & { readonly signal?: AbortSignal | undefined },
): ReadableStream<UIMessageChunk> {
  const stop = new AbortController()
  const stopped = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
  const cancel = (message: string): TroupeError => {
    const reason = failure('run_cancelled', message)
    stop.abort(reason)
    return new TroupeError(reason)
  }
  let isOver = false
  return new ReadableStream<UIMessageChunk>(
    {
      start(controller) {
        const sink: ChunkSink = {
          chunk(chunk) {
            if (isOver || (chunk.type === 'data-event' && !sendEvents)) return
            controller.enqueue(chunk as UIMessageChunk)
            if ((controller.desiredSize ?? 0) > 0) return
            isOver = true
            controller.error(cancel('The client does not read the answer.'))
          },
          end() {
            if (!isOver) controller.close()
            isOver = true
          },
        }
        start(sink, stopped)
      },
      cancel() {
        isOver = true
        cancel('The client disconnected.')
      },
    },
    { highWaterMark: MAX_UNREAD, size: (chunk) => JSON.stringify(chunk).length },
  )
}
