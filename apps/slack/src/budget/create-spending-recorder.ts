import type { RunEvent } from '@troupe/schema'
import { emptyAccounts, reduceAccounts } from '@troupe/timeline'
import type { SlackContext } from '../answer/slack-context.ts'
import { subjectsOf } from '../answer/admit-request.ts'
import type { SlackRequest } from '../intake/slack-request.ts'

/** The usage recorder of one request. */
export interface SpendingRecorder {
  onEvent(event: RunEvent): void
}

/**
 * Counts a request for its person and its channel, and then the usage of each model call, including child
 * runs. It writes totals, so that a crash loses nothing, and a resumed run, which repeats its events, is not
 * counted twice.
 */
export function createSpendingRecorder(
  request: SlackRequest,
  { state, config }: Pick<SlackContext, 'state' | 'config'>,
): SpendingRecorder {
  const { user, channel } = subjectsOf(request)
  const subjects = [
    ...(Object.keys(config.limits.user).length > 0 ? [user] : []),
    ...(Object.keys(config.limits.channel).length > 0 ? [channel] : []),
  ]
  const write = (tokens: number, micros: number): void => {
    for (const subject of subjects) state.setUsage(subject, { by: request.id, tokens, micros })
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
