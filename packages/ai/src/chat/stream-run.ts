import { randomId, systemClock } from '@troupe/core'
import { createChunkMapper, finishChunks } from '@troupe/headends/chat'
import { toFailure, type AgentRunner, type JsonObject, type RunOptions } from '@troupe/schema'
import { publicFailure, reportHiddenFailures, runForPublic } from '@troupe/schema/public'
import { generateId, type UIMessageChunk } from 'ai'
import { createChunkStream, type ChatStreamOptions } from './chunk-stream.ts'

/** Options of {@link streamRun}: those of the run, and of the stream. */
export type StreamRunOptions = RunOptions & ChatStreamOptions

/**
 * Runs an agent, by default the entry agent, and streams the run as one UI message, for
 * `createUIMessageStreamResponse` or for `merge` of a stream writer of the AI SDK. Cancelling the stream cancels the run.
 */
export function streamRun(
  runner: Pick<AgentRunner, 'run'>,
  agent: string | undefined,
  input: string | JsonObject,
  { sendEvents = false, onError, signal, ...options }: StreamRunOptions = {},
): ReadableStream<UIMessageChunk> {
  const { runId = randomId('run'), onEvent } = options
  const mapper = createChunkMapper(generateId)
  return createChunkStream(
    (sink, stopped) => {
      const send = (chunks: ReturnType<typeof mapper.read>): void => chunks.forEach(sink.chunk)
      // without an id, which would start another message if the app has written a part of this one
      send([{ type: 'start', messageMetadata: { runId } }])
      const run = runForPublic(
        {
          ...options,
          runId,
          signal: stopped,
          onEvent: (event) => {
            onEvent?.(event)
            send(mapper.read(event))
          },
        },
        (runOptions) => runner.run(agent, input, runOptions),
        reportHiddenFailures(onError),
      )
      void run
        .catch((thrown: unknown) => publicFailure(toFailure(thrown)))
        .then((end) => {
          send(finishChunks(mapper, end, { runId, now: systemClock.now() }))
          sink.end()
        })
    },
    { sendEvents, signal },
  )
}
