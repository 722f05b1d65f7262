import { answerRequest } from '../answer/answer-request.ts'
import type { SlackContext } from '../answer/slack-context.ts'
import { createThreadQueue } from '../answer/thread-queue.ts'
import { threadOf } from '../intake/slack-request.ts'
import type { StoredSlackRequest } from '../state/slack-state.ts'

/** The queue of incoming requests, by thread. */
export interface Intake {
  /** Answers a request after earlier ones in its thread. */
  answer(storedRequest: StoredSlackRequest): void
  /** Answers a request that an earlier process may have started to answer. */
  recover(storedRequest: StoredSlackRequest): void
  /** Resolves when all requests are processed. */
  idle(): Promise<void>
}

export function createIntake(context: SlackContext): Intake {
  const threads = createThreadQueue()
  const add = (storedRequest: StoredSlackRequest, isRecovered: boolean): void => {
    const { team, channel, id } = storedRequest.request
    // A command starts a thread of its own.
    const thread = threadOf(storedRequest.request, storedRequest.progress) ?? id
    threads.add(`${team}/${channel}/${thread}`, () => answerRequest(storedRequest, { context, isRecovered }))
  }
  return {
    answer: (storedRequest) => add(storedRequest, false),
    recover: (storedRequest) => add(storedRequest, true),
    idle: () => threads.idle(),
  }
}
