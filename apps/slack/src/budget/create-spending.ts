import type { RunEvent } from '@troupe/schema'
import { emptyAccounts, reduceAccounts } from '@troupe/timeline'
import type { SlackDesk } from '../answer/slack-desk.ts'
import { subjectsOf } from '../answer/admit-request.ts'
import type { SlackRequest } from '../intake/slack-request.ts'

/** Counts what a request uses while it is answered. */
export interface Spending {
  onEvent(event: RunEvent): void
}

/**
 * Counts a request for its person and its channel, and then every answer of a model, its children's included. What is written is what the request has used so
 * far: a process that is killed has counted, and one that goes on with the run, of which it hears everything from the beginning, counts nothing twice.
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
