import {
  TaskState,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
  type TaskArtifactUpdateEvent,
} from '@a2a-js/sdk'
import { failure, type AgentDefinition, type Failure, type RunEvent, type RunReport } from '@troupe/schema'
import { createAnswerText } from '../answer-text.ts'
import type { Caller, HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { createOpenQuestions } from '../person/open-questions.ts'
import { runForCaller } from '../run-for-caller.ts'
import { answerQuestion, questionParts } from './answer-question.ts'
import type { AskedMessage } from './read-message.ts'
import { agentMessage, dataPart, failureParts, textPart } from './task-parts.ts'

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

/** What a task is made of. */
export interface WantedTask {
  readonly agent: AgentDefinition
  readonly message: Message
  readonly asked: AskedMessage
}

/** The id of the one artifact of a task. */
const ANSWER = 'answer'

/** Begins a task. Its id is that of its run, and its context the conversation. */
export function startTask(
  { agent, message, asked }: WantedTask,
  caller: Caller,
  context: HeadendContext,
): A2ATask {
  const id = context.newId('run')
  const contextId = message.contextId === '' ? id : message.contextId
  const stop = new AbortController()
  const followers = new Set<(news: TaskNews) => void>()
  const answer = createAnswerText({ isWhole: agent.output.format === 'json' })
  const questions = createOpenQuestions(() => rest())
  let isDetached = false
  let isOver = false
  let pieces = 0
  let task: Task = {
    id,
    contextId,
    status: { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: now() },
    artifacts: [],
    history: [{ ...message, taskId: id, contextId }],
    metadata: undefined,
  }

  function now(): string {
    return new Date(context.clock.now()).toISOString()
  }

  function tell(news: TaskNews): void {
    for (const follower of followers) follower(news)
  }

  function enter(state: TaskState, parts?: readonly Part[]): void {
    const said =
      parts === undefined ? undefined : agentMessage(task, { messageId: context.newId('message'), parts })
    const status = { state, message: said, timestamp: now() }
    task = { ...task, status }
    tell({ $case: 'statusUpdate', value: { taskId: id, contextId, status, metadata: task.metadata } })
  }

  /** The run waits for an answer, or goes on. */
  function rest(): void {
    if (isOver) return
    const [asked] = questions.list()
    if (asked === undefined) enter(TaskState.TASK_STATE_WORKING)
    else enter(TaskState.TASK_STATE_INPUT_REQUIRED, questionParts(asked))
  }

  function hear(event: RunEvent): void {
    if (task.status?.state === TaskState.TASK_STATE_SUBMITTED) enter(TaskState.TASK_STATE_WORKING)
    tellPiece([textPart(answer.read(event))])
  }

  function tellPiece(parts: readonly Part[], lastChunk = false): void {
    if (!lastChunk && parts.every(isEmpty)) return
    const artifact = artifactOf(parts)
    const value = { taskId: id, contextId, artifact, append: pieces > 0, lastChunk, metadata: undefined }
    pieces += 1
    tell({ $case: 'artifactUpdate', value })
  }

  function end(last: RunReport | Failure): void {
    const { state, parts, whole, rest: missing } = endOf(last, answer.end)
    if (missing !== undefined) tellPiece(missing, true)
    task = {
      ...task,
      artifacts: whole === undefined ? [] : [artifactOf(whole)],
      ...(isFailure(last) ? {} : { metadata: { outcome: last.outcome, usage: last.usage } }),
    }
    isOver = true
    enter(state, parts)
  }

  const done = runForCaller(
    {
      agent: agent.name,
      input: asked.input,
      options: {
        runId: id,
        headless: false,
        approve: questions.approve,
        ask: questions.ask,
        onEvent: hear,
        ...(message.contextId === '' ? {} : { sessionId: contextId }),
        ...(asked.attachments.length === 0 ? {} : { attachments: asked.attachments }),
      },
    },
    { request: stop, caller },
    context,
  ).then(end)

  const isResting = (): boolean => isOver || task.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED
  return {
    id,
    agent: agent.name,
    principal: caller.principal,
    view: () => task,
    isOver: () => isOver,
    isResting,
    detach() {
      isDetached = true
    },
    follow(listener) {
      followers.add(listener)
      return () => {
        followers.delete(listener)
        if (followers.size === 0 && !isDetached && !isResting())
          stop.abort(failure('run_cancelled', 'The client left.'))
      }
    },
    answer(said) {
      if (!answerQuestion(questions.list(), said)) return false
      task = { ...task, history: [...task.history, { ...said, taskId: id, contextId }] }
      return true
    },
    async cancel() {
      stop.abort(failure('run_cancelled', 'The task was cancelled.'))
      await done
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

/** How a task ends, with its whole answer and what of that was not told yet. A run that could not begin is a rejected task. */
function endOf(
  last: RunReport | Failure,
  missingOf: (report: RunReport) => string,
): {
  readonly state: TaskState
  readonly parts?: readonly Part[]
  readonly whole?: readonly Part[]
  readonly rest?: readonly Part[]
} {
  if (isFailure(last)) {
    const isStopped = last.code === 'run_cancelled'
    const state = isStopped ? TaskState.TASK_STATE_CANCELED : TaskState.TASK_STATE_REJECTED
    return { state, parts: failureParts(last) }
  }
  const { outcome, output, error } = last
  if (outcome === 'completed' || outcome === 'partial') {
    const isJson = output.value !== undefined
    const whole = isJson ? [dataPart(output.value)] : [textPart(output.text ?? '')]
    return {
      state: TaskState.TASK_STATE_COMPLETED,
      whole,
      rest: isJson ? whole : [textPart(missingOf(last))],
      ...(error === undefined ? {} : { parts: failureParts(error) }),
    }
  }
  const state = outcome === 'cancelled' ? TaskState.TASK_STATE_CANCELED : TaskState.TASK_STATE_FAILED
  return { state, ...(error === undefined ? {} : { parts: failureParts(error) }) }
}
