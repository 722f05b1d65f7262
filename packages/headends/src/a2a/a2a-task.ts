import type { Message, StreamResponse, Task } from '@a2a-js/sdk'

/** What is told of a task while it is followed. */
export type TaskNews = NonNullable<StreamResponse['payload']>

/** A task: one run, and what its client may know and say of it. */
export interface A2ATask {
  readonly id: string
  readonly agent: string
  readonly principal: string
  /** As it is now. */
  view(): Task
  /** Its run has ended. */
  isOver(): boolean
  /** Nothing happens until its client says something, or its run has ended. */
  isResting(): boolean
  /** Hears every change. The answer takes the listener back; a task that nobody follows any more is stopped unless it rests, or was sent to go on alone. */
  follow(listener: (news: TaskNews) => void): () => void
  /** It goes on when nobody follows it. */
  detach(): void
  /** Gives an answer to what its run asks; false: it is none. */
  answer(message: Message): boolean
  /** Stops its run; resolves when that has ended. */
  cancel(): Promise<void>
}
