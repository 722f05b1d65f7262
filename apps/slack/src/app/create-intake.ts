import { answerRequest } from '../answer/answer-request.ts'
import type { SlackDesk } from '../answer/slack-desk.ts'
import { createThreadQueue } from '../answer/thread-queue.ts'
import { threadOf } from '../intake/slack-request.ts'
import type { KeptRequest } from '../state/slack-state.ts'

/** The queue of incoming requests, by thread. */
export interface Intake {
  /** Answers a request after earlier ones in its thread. */
  answer(kept: KeptRequest): void
  /** Answers a request that an earlier process may have started to answer. */
  recover(kept: KeptRequest): void
  /** Resolves when all requests are processed. */
  idle(): Promise<void>
}

export function createIntake(desk: SlackDesk): Intake {
  const threads = createThreadQueue()
  const add = (kept: KeptRequest, isRecovered: boolean): void => {
    const { team, channel, id } = kept.request
    // A command starts a thread of its own.
    const thread = threadOf(kept.request, kept.place) ?? id
    threads.add(`${team}/${channel}/${thread}`, () => answerRequest(kept, { desk, isRecovered }))
  }
  return {
    answer: (kept) => add(kept, false),
    recover: (kept) => add(kept, true),
    idle: () => threads.idle(),
  }
}
