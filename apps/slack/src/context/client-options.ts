import {
  retryPolicies,
  WebAPIRequestError,
  type FetchFunction,
  type RetryOptions,
  type WebClientOptions,
} from '@slack/web-api'
import type { Logger } from '@slack/bolt'
import { errorMessage, troupeError, type Clock } from '@troupe/schema'
import type { SlackConfig } from '../config/slack-config.ts'
import { boltLogger } from './slack-api.ts'

/** Options of the clients of an app. */
export interface SlackClientOptions {
  readonly logger: Logger
  readonly web: WebClientOptions
  /** Options of the client that opens Socket Mode connections. */
  readonly socket: WebClientOptions
}

/**
 * Creates the options of the clients of an app, which report trouble to `onError`, each text at most once a
 * minute.
 */
export function createClientOptions({
  config,
  clock,
  hide,
  onError,
}: {
  readonly config: Pick<SlackConfig, 'apiUrl'>
  readonly clock: Clock
  hide(text: string): string
  onError(thrown: unknown): void
}): SlackClientOptions {
  const isRepeated = createRepeatFilter(clock)
  const report = (text: string, more = ''): void => {
    const hidden = hide(text)
    if (!isRepeated(hidden)) onError(troupeError('slack_trouble', `${hidden}${more}`))
  }
  const logger = boltLogger((text) => report(text))
  const shared = {
    logger,
    fetch: fetchSlack,
    ...(config.apiUrl === undefined ? {} : { slackApiUrl: config.apiUrl }),
  }
  return {
    logger,
    web: { ...shared, retryConfig: reportRetries(retryPolicies.tenRetriesInAboutThirtyMinutes, report) },
    socket: { ...shared, retryConfig: reportRetries(SOCKET_RETRIES, report) },
  }
}

/** Default of the Socket Mode client. */
const SOCKET_RETRIES: RetryOptions = { retries: 100, factor: 1.3 }

/** A failed attempt with the number that `p-retry`, which the clients use, adds to it. */
interface FailedSlackCall extends Error {
  readonly retriesLeft: number
}

/** Returns the policy with a report before each retry. */
function reportRetries(
  policy: RetryOptions,
  report: (text: string, more: string) => void,
): RetryOptions & { onFailedAttempt(attempt: FailedSlackCall): void } {
  return {
    ...policy,
    onFailedAttempt(attempt) {
      if (attempt instanceof WebAPIRequestError && attempt.retriesLeft > 0)
        report(callFailureText(attempt), '; it is tried again, and reported once a minute')
    },
  }
}

/** Calls `fetch`. Rejects with the host and the cause, because `fetch failed` alone says nothing. */
export const fetchSlack: FetchFunction = async (url, init) => {
  try {
    return await fetch(url, init)
  } catch (thrown) {
    throw new Error(`cannot reach ${new URL(url).host}: ${causeText(thrown)}`, { cause: thrown })
  }
}

function causeText(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown
  // a host with several addresses fails with an error per address and no message of its own
  return errorMessage(cause instanceof AggregateError && cause.message === '' ? cause.errors[0] : cause)
}

/** Returns the message of a failed call, without the prefix that the client adds if Slack was not reached. */
export function callFailureText(thrown: unknown): string {
  return errorMessage(thrown instanceof WebAPIRequestError ? thrown.original : thrown)
}

const REPEAT_MS = 60_000

/** Creates a function that returns true if it got the same text less than a minute ago. */
function createRepeatFilter(clock: Clock): (text: string) => boolean {
  const reportedAt = new Map<string, number>()
  return (text) => {
    const now = clock.monotonic()
    for (const [known, time] of reportedAt) if (now - time >= REPEAT_MS) reportedAt.delete(known)
    if (reportedAt.has(text)) return true
    reportedAt.set(text, now)
    return false
  }
}
