import { TaskState, type Message, type Part, type Task, type TaskArtifactUpdateEvent } from '@a2a-js/sdk'
import type { HeadendContext } from '../headend.ts'
import type { TaskNews } from './a2a-task.ts'
import { agentMessage } from './task-parts.ts'

/** The state of a task as its clients see it, with listeners for updates. */
export interface TaskRecord {
  view(): Task
  isIn(state: TaskState): boolean
  isFollowed(): boolean
  /** Adds a listener for updates. Returns a function that removes it. */
  follow(listener: (news: TaskNews) => void): () => void
  /** Changes the state, with these parts as its message. */
  enter(state: TaskState, parts?: readonly Part[]): void
  /** Sends a piece of the answer. An empty piece is only sent if it is the last. */
  tellPiece(parts: readonly Part[], isLast?: boolean): void
  /** Adds a message of the client to the history. */
  keepMessage(message: Message): void
  /**
   * Sets the whole answer, if there is one, and the metadata of the run, which is sent with the next state.
   */
  keepAnswer(whole: readonly Part[] | undefined, metadata: Task['metadata']): void
}

/** Id of the single artifact of a task. */
const ANSWER = 'answer'

/** Creates the record of a task that was submitted with this message. */
export function createTaskRecord(
  { id, contextId, message }: { readonly id: string; readonly contextId: string; readonly message: Message },
  { clock, newId }: Pick<HeadendContext, 'clock' | 'newId'>,
): TaskRecord {
  const followers = new Set<(news: TaskNews) => void>()
  const now = (): string => new Date(clock.now()).toISOString()
  let pieces = 0
  let task: Task = {
    id,
    contextId,
    status: { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: now() },
    artifacts: [],
    history: [{ ...message, taskId: id, contextId }],
    metadata: undefined,
  }

  function tell(news: TaskNews): void {
    for (const follower of followers) follower(news)
  }

  return {
    view: () => task,
    isIn: (state) => task.status?.state === state,
    isFollowed: () => followers.size > 0,
    follow(listener) {
      followers.add(listener)
      return () => followers.delete(listener)
    },
    enter(state, parts) {
      const said =
        parts === undefined ? undefined : agentMessage(task, { messageId: newId('message'), parts })
      const status = { state, message: said, timestamp: now() }
      task = { ...task, status }
      tell({ $case: 'statusUpdate', value: { taskId: id, contextId, status, metadata: task.metadata } })
    },
    tellPiece(parts, isLast = false) {
      if (!isLast && parts.every(isEmpty)) return
      const artifact = artifactOf(parts)
      const value = { taskId: id, contextId, artifact, append: pieces > 0, lastChunk: isLast }
      pieces += 1
      tell({ $case: 'artifactUpdate', value: { ...value, metadata: undefined } })
    },
    keepMessage(said) {
      task = { ...task, history: [...task.history, { ...said, taskId: id, contextId }] }
    },
    keepAnswer(whole, metadata) {
      task = { ...task, artifacts: whole === undefined ? [] : [artifactOf(whole)], metadata }
    },
  }
}

function isEmpty({ content }: Part): boolean {
  return content?.$case === 'text' && content.value === ''
}

function artifactOf(parts: readonly Part[]): NonNullable<TaskArtifactUpdateEvent['artifact']> {
  return {
    artifactId: ANSWER,
    name: ANSWER,
    description: '',
    parts: [...parts],
    metadata: undefined,
    extensions: [],
  }
}
