import { failure } from '@troupe/schema'
import type {
  ModelCallOutcome,
  ModelHandle,
  Permit,
  PermitRefusal,
  ReleaseNotice,
} from '@troupe/schema/ports'
import type { TriedModel } from './ask-model.ts'
import type { CallOptions } from './call-model.ts'
import type { FailedAnswer } from './classify-model-error.ts'
import { maxWaitMs } from './next-attempt.ts'
import { promptBytes } from '../context/prompt-size.ts'
import type { CompleteAnswer } from './read-answer.ts'
import type { LoggedRun } from '../log/run-log.ts'
import type { Run } from '../run/run.ts'

const BYTES_PER_TOKEN = 4
/** Assumed output tokens of a call without a limit, until they are known. */
const USUAL_OUTPUT = 1024
/** Minimum wait in ms that is reported. */
const MIN_REPORTED_MS = 1000

/** Waits for a permit. Returns a failure if the call is refused, or `undefined` if the run is cancelled. */
export async function acquirePermit(
  run: LoggedRun,
  model: TriedModel,
  { messages, paid }: CallOptions,
): Promise<Permit | FailedAnswer | undefined> {
  const { prepared, handle, isLast } = model
  let tokens: number | undefined
  const result = await run.root.limiter.acquire({
    handle,
    isLast,
    stop: run.cancellation,
    maxWaitMs: maxWaitMs(run),
    tokens: () => {
      const output = paid?.maxOutputTokens ?? run.definition.settings.maxOutputTokens ?? USUAL_OUTPUT
      return (tokens ??= Math.ceil(promptBytes(run, prepared, messages) / BYTES_PER_TOKEN) + output)
    },
    onWait: (ms) => reportWait(run, handle, ms),
  })
  return result !== undefined && 'refused' in result ? toFailure(run, model, result) : result
}

/** Converts a refusal to a failed answer. It is retryable if there is time and no other model. */
function toFailure(
  run: Run,
  { handle, isLast }: TriedModel,
  { refused, waitMs }: PermitRefusal,
): FailedAnswer {
  const retryAt = Math.round(run.root.clock.now() + waitMs)
  const at = new Date(retryAt).toISOString()
  if (refused === 'rate') {
    const message = `The model ${handle.id} was not called: the limits of providers.${handle.provider} allow the next call at ${at}.`
    return { failure: { ...failure('model_rate_limited', message), retryAt }, retryable: false, ...UNSENT }
  }
  const message = `The model ${handle.id} was not called: too many calls to it failed. The next attempt is possible after ${at}.`
  const retryable = isLast && waitMs <= run.deadline.remaining()
  return { failure: { ...failure('model_unavailable', message), retryAt }, retryable, ...UNSENT }
}

const UNSENT = Object.freeze({ isFree: true, isUnsent: true })

/** Releases the permit of a call and returns the answer with the wait before a retry. */
export function releasePermit(
  run: LoggedRun,
  { handle, permit }: { readonly handle: ModelHandle; readonly permit: Permit },
  answer: CompleteAnswer | FailedAnswer,
): CompleteAnswer | FailedAnswer {
  const used = (answer.usage?.inputTokens.total ?? NaN) + (answer.usage?.outputTokens.total ?? NaN)
  const tokens = Number.isFinite(used) ? { tokens: used } : {}
  if (!('failure' in answer)) {
    report(run, handle, permit.release(tokens))
    return answer
  }
  const notice = permit.release({ ...tokens, ...outcomeOf(run, answer) })
  report(run, handle, notice)
  return { ...answer, retryAfterMs: notice.retryAfterMs }
}

function outcomeOf(
  run: Run,
  { failure: { code }, isThrottled, retryAfterMs }: FailedAnswer,
): ModelCallOutcome {
  return {
    code,
    ...(isThrottled === true ? { isThrottled } : {}),
    ...(run.cancellation.reason === undefined ? {} : { isCancelled: true }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

function report(run: LoggedRun, handle: ModelHandle, { opened, isClosed }: ReleaseNotice): void {
  if (opened !== undefined) {
    const { failed, calls, forMs } = opened
    const message = `${failed} of ${calls} calls to ${handle.id} failed; calls to it are paused for ${forMs / 1000} s.`
    run.log.appendEvent('warning', { code: 'model_unavailable', message })
  }
  if (isClosed === true)
    run.log.appendEvent('warning', { code: 'model_available', message: `${handle.id} is available again.` })
}

function reportWait(run: LoggedRun, handle: ModelHandle, ms: number): void {
  if (ms < MIN_REPORTED_MS) return
  const message = `The next call to ${handle.id} waits at least ${Math.round(ms / 100) / 10} s: a per-minute limit was reached, or too many calls failed.`
  run.log.appendEvent('warning', { code: 'model_waits', message })
}
