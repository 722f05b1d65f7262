import { answerRequest } from '../answer/answer-request.ts'
import type { SlackDesk } from '../answer/slack-desk.ts'
import { createThreadQueue } from '../answer/thread-queue.ts'
import { threadOf } from '../intake/slack-request.ts'
import type { KeptRequest } from '../state/slack-state.ts'

/** Takes requests to their threads. */
export interface Intake {
  /** Answers it after what the thread has been asked before. */
  answer(kept: KeptRequest): void
  /** The same for one that an earlier process may have begun to answer. */
  recover(kept: KeptRequest): void
  /** Resolves when nothing is at work. */
  idle(): Promise<void>
}

export function createIntake(desk: SlackDesk): Intake {
  const threads = createThreadQueue()
  const add = (kept: KeptRequest, isRecovered: boolean): void => {
    const { team, channel, id } = kept.request
    // a command begins a thread of its own
    const thread = threadOf(kept.request, kept.place) ?? id
    threads.add(`${team}/${channel}/${thread}`, () => answerRequest(kept, { desk, isRecovered }))
  }
  return {
    answer: (kept) => add(kept, false),
    recover: (kept) => add(kept, true),
    idle: () => threads.idle(),
  }
}
