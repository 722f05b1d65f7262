import {
  TaskState,
  type Message,
  type Part,
  type Task,
  type TaskArtifactUpdateEvent,
  Role,
} from '@a2a-js/sdk'
import type { Failure } from '@troupe/schema'
import type { HeadendContext } from '../headend/headend.ts'
import type { TaskUpdate } from './task-store.ts'

/** The state of a task as its clients see it, with listeners for updates. */
export interface TaskRecord {
  view(): Task
  isIn(state: TaskState): boolean
  isFollowed(): boolean
  /** Adds a listener for updates. Returns a function that removes it. */
  follow(listener: (update: TaskUpdate) => void): () => void
  /** Changes the state, with these parts as its message. */
  enter(state: TaskState, parts?: readonly Part[]): void
  /** Sends a piece of the answer. An empty piece is only sent if it is the last. */
  sendPiece(parts: readonly Part[], isLast?: boolean): void
  /** Adds a message of the client to the history. */
  addMessage(message: Message): void
  /**
   * Sets the whole answer, if there is one, and the metadata of the run, which is sent with the next state.
   */
  setAnswer(whole: readonly Part[] | undefined, metadata: Task['metadata']): void
}

/** Id of the single artifact of a task. */
const ANSWER = 'answer'

/** Creates the record of a task that was submitted with this message. */
export function createTaskRecord(
  { id, contextId, message }: { readonly id: string; readonly contextId: string; readonly message: Message },
  { clock, newId }: Pick<HeadendContext, 'clock' | 'newId'>,
): TaskRecord {
  const followers = new Set<(update: TaskUpdate) => void>()
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

  function notify(update: TaskUpdate): void {
    for (const follower of followers) follower(update)
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
      const statusMessage =
        parts === undefined ? undefined : agentMessage(task, { messageId: newId('message'), parts })
      const status = { state, message: statusMessage, timestamp: now() }
      task = { ...task, status }
      notify({ $case: 'statusUpdate', value: { taskId: id, contextId, status, metadata: task.metadata } })
    },
    sendPiece(parts, isLast = false) {
      if (!isLast && parts.every(isEmpty)) return
      const artifact = artifactOf(parts)
      const value = { taskId: id, contextId, artifact, append: pieces > 0, lastChunk: isLast }
      pieces += 1
      notify({ $case: 'artifactUpdate', value: { ...value, metadata: undefined } })
    },
    addMessage(reply) {
      task = { ...task, history: [...task.history, { ...reply, taskId: id, contextId }] }
    },
    setAnswer(whole, metadata) {
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

/** Creates a text part of a message or artifact. */
export function textPart(value: string): Part {
  return { content: { $case: 'text', value }, mediaType: 'text/plain', filename: '', metadata: undefined }
}

/** Creates a data part of a message or artifact from a JSON value. */
export function dataPart(value: unknown): Part {
  return {
    content: { $case: 'data', value },
    mediaType: 'application/json',
    filename: '',
    metadata: undefined,
  }
}

/** Converts a failure to a text part for people and a data part for programs. */
export function failureParts({ class: kind, code, message, remediation }: Failure): readonly Part[] {
  return [textPart(`${message} ${remediation}`), dataPart({ class: kind, code, message, remediation })]
}

/** Creates a message of the agent about its task. */
export function agentMessage(
  { id, contextId }: Pick<Task, 'id' | 'contextId'>,
  { messageId, parts }: { readonly messageId: string; readonly parts: readonly Part[] },
): Message {
  return {
    messageId,
    taskId: id,
    contextId,
    role: Role.ROLE_AGENT,
    parts: [...parts],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  }
}
