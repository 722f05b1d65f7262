import { createEventQueue } from '@troupe/core'
import type { RunEvent, RunOptions, RunReport } from '@troupe/schema'

/** Yields the events of a run and returns its report. Cancels the run if the consumer stops early. */
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
  // The consumer gets the error from `await running` below. Until then it must not count as an unhandled
  // rejection.
  running.catch(() => undefined)
  try {
    yield* queue
    return await running
  } finally {
    stop.abort()
    await Promise.allSettled([running])
  }
}
