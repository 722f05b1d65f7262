import {
  failure,
  type LaneNews,
  type LanePass,
  type LaneRefusal,
  type MaybePromise,
  type ModelHandle,
} from '@troupe/schema'
import type { TriedModel } from '../model/ask-models.ts'
import type { CallOptions } from '../model/call-model.ts'
import type { FailedAnswer } from '../model-faults/classify-model-error.ts'
import { patienceMs } from '../model/next-attempt.ts'
import { promptBytes } from '../model/prompt-size.ts'
import type { Answer } from '../model/read-answer.ts'
import { write, type Run } from '../session/run.ts'
import { whenKnown } from '../time/when-known.ts'

const BYTES_PER_TOKEN = 4
/** Output tokens a call is counted with before it is known, where nothing says how many it may have. */
const USUAL_OUTPUT = 1024
/** A shorter wait is not worth a word. */
const LEAST_TOLD_MS = 1000

/** Waits for the lane of a model. A failure: the call does not go out. Undefined: the run was stopped. */
export function enterLane(
  run: Run,
  { prepared, handle, isLast }: TriedModel,
  { messages, paid }: CallOptions,
): MaybePromise<LanePass | FailedAnswer | undefined> {
  const given = run.root.lanes.enter({
    handle,
    isLast,
    stop: run.stop,
    patienceMs: patienceMs(run),
    tokens: () => {
      const output = paid?.maxOutputTokens ?? run.definition.settings.maxOutputTokens ?? USUAL_OUTPUT
      return Math.ceil(promptBytes(run, prepared, messages) / BYTES_PER_TOKEN) + output
    },
    onWait: (ms) => tellWait(run, handle, ms),
  })
  return whenKnown(given, (pass) => passOrFailure(run, handle, pass))
}

function passOrFailure(
  run: Run,
  handle: ModelHandle,
  given: LanePass | LaneRefusal | undefined,
): LanePass | FailedAnswer | undefined {
  return given !== undefined && 'refused' in given ? refusal(run, handle, given) : given
}

/** A call that did not go out: told apart by whether waiting may help. */
function refusal(run: Run, handle: ModelHandle, { refused, waitMs }: LaneRefusal): FailedAnswer {
  const retryAt = Math.round(run.root.clock.now() + waitMs)
  const at = new Date(retryAt).toISOString()
  if (refused === 'rate') {
    const message = `The model ${handle.id} is not asked: its provider limits the rate of requests of this key until ${at}.`
    return { failure: { ...failure('model_rate_limited', message), retryAt }, ...UNSENT }
  }
  const message = `The model ${handle.id} is not asked: its provider failed too often and is left alone until ${at}.`
  return { failure: { ...failure('model_unavailable', message), retryAt }, ...UNSENT }
}

const UNSENT = Object.freeze({ retryable: false, isFree: true, isUnsent: true })

/** Gives the lane back and takes from it how long it wants this call to wait. */
export function leaveLane(
  run: Run,
  { handle, pass }: { readonly handle: ModelHandle; readonly pass: LanePass },
  answer: Answer | FailedAnswer,
): Answer | FailedAnswer {
  const used = (answer.usage?.inputTokens.total ?? NaN) + (answer.usage?.outputTokens.total ?? NaN)
  const tokens = Number.isFinite(used) ? { tokens: used } : {}
  if (!('failure' in answer)) {
    tellNews(run, handle, pass.leave(tokens))
    return answer
  }
  const { retryAfterMs } = answer
  const news = pass.leave({
    ...tokens,
    code: answer.failure.code,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
  tellNews(run, handle, news)
  return news.waitMs === undefined ? answer : { ...answer, retryAfterMs: news.waitMs }
}

function tellNews(run: Run, handle: ModelHandle, { closedForMs, isOpenAgain }: LaneNews): void {
  if (closedForMs !== undefined) {
    const message = `${handle.provider} failed 5 times within 30 s: it is left alone for ${closedForMs / 1000} s.`
    write(run, 'warning', { code: 'model_unavailable', message })
  }
  if (isOpenAgain === true)
    write(run, 'warning', { code: 'model_available', message: `${handle.provider} answers again.` })
}

function tellWait(run: Run, handle: ModelHandle, ms: number): void {
  if (ms < LEAST_TOLD_MS) return
  const message = `${handle.id} is asked in ${Math.round(ms / 100) / 10} s: its provider limits the rate of requests, or is left alone.`
  write(run, 'warning', { code: 'model_waits', message })
}
