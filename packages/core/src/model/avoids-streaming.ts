import type { ModelHandle } from '@troupe/schema'
import type { CompleteAnswer } from './read-answer.ts'
import type { FailedAnswer } from '../model-faults/classify-model-error.ts'
import type { Run } from '../session/run.ts'

/** Duration in ms above which calls are streamed, because a proxy may close a silent connection. */
const SLOW_MS = 20_000

/** Models that were slow once in this process. */
const slow = new WeakSet<ModelHandle>()

/**
 * Returns true if the request should not be streamed, which costs half as much: either the server cannot
 * stream, or nothing watches the answer, it is not expected to take long, and a retry could still stream it.
 */
export function avoidsStreaming({ root, definition }: Run, handle: ModelHandle): boolean {
  if (handle.whole !== 'unwatched') return handle.whole === 'always'
  const { reasoning = 'none' } = definition.settings
  const isLight = reasoning === 'none' || reasoning === 0
  return !root.log.hasDeltaListeners && isLight && definition.limits.maxRetries > 0 && !slow.has(handle)
}

/** Remembers a model that was slow, so that its answers are streamed from then on. */
export function rememberSlowModel(
  handle: ModelHandle,
  answer: CompleteAnswer | FailedAnswer,
  tookMs: number,
): void {
  const isLate = 'failure' in answer && answer.failure.code === 'model_timeout'
  if (isLate || tookMs > SLOW_MS) slow.add(handle)
}
