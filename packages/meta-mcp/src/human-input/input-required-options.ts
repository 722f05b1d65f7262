import type { ServerOptions } from '@modelcontextprotocol/server'

/** Longest delay a timer supports, in ms. */
const LONGEST_ROUND = 2 ** 31 - 1

/**
 * Server options for calls that ask a person. They set no limits, because the run limits the time and the
 * number of questions.
 */
export const INPUT_REQUIRED_OPTIONS: NonNullable<ServerOptions['inputRequired']> = {
  maxRounds: Number.MAX_SAFE_INTEGER,
  roundTimeoutMs: LONGEST_ROUND,
}
