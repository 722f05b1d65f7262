import type { ModelHandle } from '@troupe/schema'
import type { Answer } from './read-answer.ts'
import type { FailedAnswer } from '../model-faults/classify-model-error.ts'
import type { Run } from '../session/run.ts'

/** A call that takes longer is worth a stream: what stands between us and a provider may cut a connection on which nothing comes. */
const SLOW_MS = 20_000

/** Models that were slow once, in this process. */
const slow = new WeakSet<ModelHandle>()

/**
 * True where the answer is asked for in one piece, which costs half of a stream: the server cannot stream, or nobody sees the answer come, nothing
 * says that it will take long, and another attempt could still stream it (decision 30).
 */
export function asksWhole({ root, definition }: Run, handle: ModelHandle): boolean {
  if (handle.whole !== 'unwatched') return handle.whole === 'always'
  const { reasoning = 'none' } = definition.settings
  const isLight = reasoning === 'none' || reasoning === 0
  return !root.log.watched && isLight && definition.limits.maxRetries > 0 && !slow.has(handle)
}

/** A model that took long once is asked for streams from now on. */
export function learnPace(handle: ModelHandle, answer: Answer | FailedAnswer, tookMs: number): void {
  const isLate = 'failure' in answer && answer.failure.code === 'model_timeout'
  if (isLate || tookMs > SLOW_MS) slow.add(handle)
}
