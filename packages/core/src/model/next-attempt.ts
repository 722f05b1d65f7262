import { endSentence, failure, userMessage, type Failure, type Message } from '@troupe/schema'
import type { PreparedAgent } from '@troupe/schema/ports'
import type { TriedModel, PreparedRun } from './ask-model.ts'
import type { FailedAnswer } from './classify-model-error.ts'
import { promptBytes } from '../context/prompt-size.ts'
import type { Run } from '../run/run.ts'
import type { LoggedRun } from '../log/run-log.ts'
import { sleep } from '../run/cancellation.ts'

/** State of the attempts with one model in one turn. */
export interface AttemptState {
  readonly messages: readonly Message[]
  /** Number of attempts after the first. */
  readonly retries: number
  readonly shortenings: number
  /** True if the messages end with a reminder after an empty answer. */
  readonly hasReminder: boolean
}

export function firstAttempt(messages: readonly Message[]): AttemptState {
  return { messages, retries: 0, shortenings: 0, hasReminder: false }
}

/** A failed model call and the options for another attempt. */
interface FailedAttempt {
  readonly attempt: AttemptState
  readonly answer: FailedAnswer
  readonly mayCall: boolean
  readonly onOverflow?: OnContextOverflow
}

/** Waits for the next attempt after a failed one and returns it, or the failure if there is none. */
export async function nextAttempt(
  run: PreparedRun,
  model: TriedModel,
  failed: FailedAttempt,
): Promise<AttemptState | { readonly failure: Failure }> {
  const { attempt, answer } = failed
  if (answer.failure.code === 'context_overflow') return shorten(run, model, failed)
  if (!answer.retryable || attempt.retries >= run.definition.limits.maxRetries) return answer
  const isEmpty = answer.failure.code === 'model_empty_answer'
  if (isEmpty && (attempt.hasReminder || !failed.mayCall)) return answer
  const retries = attempt.retries + 1
  const delayMs = isEmpty ? 0 : retryDelay(retries, answer.retryAfterMs, run.root.random)
  if (delayMs > maxWaitMs(run)) return retryTooLate(run, answer.failure, delayMs)
  await pause(run, { model: model.handle.id, attempt: retries, delayMs, answer })
  if (run.cancellation.reason !== undefined) return answer
  return {
    ...attempt,
    retries,
    ...(isEmpty ? { messages: addEmptyAnswerReminder(attempt.messages), hasReminder: true } : {}),
  }
}

/** Returns the maximum wait for a provider in ms: the timeout of a call, or the time left for the run. */
export function maxWaitMs(run: Run): number {
  return Math.min(run.definition.limits.llmTimeout, run.deadline.remaining())
}

/** Creates the failure for a wait that would exceed the time of the run, with the time to try again. */
function retryTooLate(run: Run, reason: Failure, delayMs: number): { readonly failure: Failure } {
  const retryAt = Math.round(run.root.clock.now() + delayMs)
  const at = new Date(retryAt).toISOString()
  return {
    failure: {
      ...failure(
        reason.code,
        `${endSentence(reason.message)} A retry is possible at ${at}, which is too late for this run.`,
      ),
      retryAt,
    },
  }
}

async function pause(
  run: LoggedRun,
  wait: {
    readonly model: string
    readonly attempt: number
    readonly delayMs: number
    readonly answer: FailedAnswer
  },
): Promise<void> {
  const { answer, ...payload } = wait
  const { code, message } = answer.failure
  run.log.appendEvent('model-retry', { ...payload, code, message })
  // a replay has its answer ready
  if (wait.delayMs > 0 && run.root.recording?.replay === undefined)
    await sleep(wait.delayMs, run.cancellation, run.root.clock)
}

/** Shortens the messages with the agent's strategy. Gives up if they do not get shorter. */
async function shorten(
  run: PreparedRun,
  { prepared }: TriedModel,
  { attempt, answer, onOverflow }: FailedAttempt,
): Promise<AttemptState | { readonly failure: Failure }> {
  const { messages, shortenings } = attempt
  if (shortenings >= MAX_SHORTENINGS) return answer
  const shorter = await onOverflow?.(run, prepared)
  if (shorter === undefined || run.cancellation.reason !== undefined) return answer
  if (promptBytes(run, prepared, shorter) >= promptBytes(run, prepared, messages)) return answer
  return { ...attempt, messages: shorter, shortenings: shortenings + 1 }
}

/**
 * Returns shorter messages for another try, by the strategy of the agent (`context.strategy`), or `undefined`
 * to fail with `context_overflow`. Called at most {@link MAX_SHORTENINGS} times per turn, and the messages
 * are only sent if they are shorter, so that no strategy can loop.
 */
export type OnContextOverflow = (
  run: PreparedRun,
  prepared: PreparedAgent,
) => Promise<readonly Message[] | undefined>

/** Maximum number of times that one turn is shortened. */
const MAX_SHORTENINGS = 1

const FIRST_DELAY_MS = 1000
/** Maximum wait in ms. Longer waits are not needed, as the limiter protects an overloaded provider. */
const MAX_DELAY_MS = 8000

/**
 * Returns the wait in ms before retry number `attempt`: the one that the provider asked for, or exponential
 * backoff with full jitter.
 */
function retryDelay(attempt: number, retryAfterMs: number | undefined, random: () => number): number {
  if (retryAfterMs !== undefined) return retryAfterMs
  return Math.round(random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1)))
}

const EMPTY_ANSWER_REMINDER = 'Your last answer was empty. Reply with text, or call a tool.'

/**
 * Appends a reminder after an empty answer. For one call only: it does not become part of the conversation.
 */
function addEmptyAnswerReminder(messages: readonly Message[]): readonly Message[] {
  return [...messages, userMessage(EMPTY_ANSWER_REMINDER)]
}
