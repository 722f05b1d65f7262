import type { ServerOptions } from '@modelcontextprotocol/server'

/** The most that a timer takes, in ms. */
const LONGEST_ROUND = 2 ** 31 - 1

/** For servers whose calls ask a person: how long one takes, and how often one is asked, is the business of the run. */
export const PERSON_ROUNDS: NonNullable<ServerOptions['inputRequired']> = {
  maxRounds: Number.MAX_SAFE_INTEGER,
  roundTimeoutMs: LONGEST_ROUND,
}
