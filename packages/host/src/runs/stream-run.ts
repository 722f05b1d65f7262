import { createEventQueue } from '@troupe/core'
import type { RunEvent, RunOptions, RunReport } from '@troupe/schema'

/** A run as its events; the answer of the generator is the report. A reader that leaves early stops the run. */
export async function* streamRun(
  run: (options: RunOptions) => Promise<RunReport>,
  options: RunOptions,
): AsyncGenerator<RunEvent, RunReport> {
  const queue = createEventQueue()
  const stop = new AbortController()
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal])
  const onEvent: RunOptions['onEvent'] = (event) => {
    queue.push(event)
    options.onEvent?.(event)
  }
  const running = run({ ...options, signal, onEvent }).finally(queue.close)
  // the reader is told below; one that is slow to ask must not make it an unhandled rejection
  running.catch(() => undefined)
  try {
    yield* queue
    return await running
  } finally {
    stop.abort()
    await Promise.allSettled([running])
  }
}
