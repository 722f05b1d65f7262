import { TaskState, type Message, type Part, type Task, type TaskArtifactUpdateEvent } from '@a2a-js/sdk'
import type { HeadendContext } from '../headend.ts'
import type { TaskNews } from './a2a-task.ts'
import { agentMessage } from './task-parts.ts'

/** A task as its clients know it: what it is now, and every change told to those who follow it. */
export interface TaskRecord {
  view(): Task
  isIn(state: TaskState): boolean
  isFollowed(): boolean
  /** Hears every change; the answer takes the listener back. */
  follow(listener: (news: TaskNews) => void): () => void
  /** Enters a state, and says these parts with it. */
  enter(state: TaskState, parts?: readonly Part[]): void
  /** Tells a piece of the answer; an empty one only where it is the last. */
  tellPiece(parts: readonly Part[], isLast?: boolean): void
  /** What its client has said to it. */
  keepMessage(message: Message): void
  /** The whole answer, where there is one, and what is known of the run. Told with the next state. */
  keepAnswer(whole: readonly Part[] | undefined, metadata: Task['metadata']): void
}

/** The id of the one artifact of a task. */
const ANSWER = 'answer'

/** A task that was submitted with this message. */
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
