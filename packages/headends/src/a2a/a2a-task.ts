import type { Message, StreamResponse, Task } from '@a2a-js/sdk'

/** An update of a task. */
export type TaskUpdate = NonNullable<StreamResponse['payload']>

/** A task: one run, as its client sees and controls it. */
export interface A2ATask {
  readonly id: string
  readonly agent: string
  readonly principal: string
  /** Returns the current state of the task. */
  view(): Task
  /** Returns true if the run has ended. */
  isOver(): boolean
  /** Returns true if the run has ended or waits for its client. */
  isIdle(): boolean
  /**
   * Adds a listener for updates. Returns a function that removes it. A task without listeners is cancelled
   * unless it is idle or detached.
   */
  follow(listener: (update: TaskUpdate) => void): () => void
  /** Lets the task continue without listeners. */
  detach(): void
  /** Passes an answer to the run. Returns false if the message is not an answer to its question. */
  answer(message: Message): boolean
  /** Cancels the run. Resolves when it has ended. */
  cancel(): Promise<void>
}
