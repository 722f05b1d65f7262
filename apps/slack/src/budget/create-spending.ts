import type { RunEvent } from '@troupe/schema'
import { emptyAccounts, reduceAccounts } from '@troupe/timeline'
import type { SlackDesk } from '../answer/slack-desk.ts'
import { subjectsOf } from '../answer/admit-request.ts'
import type { SlackRequest } from '../intake/slack-request.ts'

/** The usage recorder of one request. */
export interface Spending {
  onEvent(event: RunEvent): void
}

/**
 * Counts a request for its person and its channel, and then the usage of each model call, including child
 * runs. It writes totals, so that a crash loses nothing, and a resumed run, which repeats its events, is not
 * counted twice.
 */
export function createSpending(
  request: SlackRequest,
  { state, config }: Pick<SlackDesk, 'state' | 'config'>,
): Spending {
  const { user, channel } = subjectsOf(request)
  const subjects = [
    ...(Object.keys(config.limits.user).length > 0 ? [user] : []),
    ...(Object.keys(config.limits.channel).length > 0 ? [channel] : []),
  ]
  const write = (tokens: number, micros: number): void => {
    for (const subject of subjects) state.spend(subject, { by: request.id, tokens, micros })
  }
  let accounts = emptyAccounts()
  write(0, 0)
  return {
    onEvent(event) {
      if (subjects.length === 0) return
      const { total } = (accounts = reduceAccounts(accounts, event))
      if (event.type === 'usage') write(total.input + total.output, total.micros)
    },
  }
}
