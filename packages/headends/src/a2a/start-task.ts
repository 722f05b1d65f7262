import {
  TaskState,
  type Message,
  type Part,
  type Task,
  type TaskArtifactUpdateEvent,
  Role,
} from '@a2a-js/sdk'
import {
  failure,
  type AgentDefinition,
  type Failure,
  type JsonObject,
  type OutputFile,
  type RunEvent,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import { createAnswerText, isRefused } from '../client-runs/answer-text.ts'
import { runForCaller } from '../client-runs/run-for-caller.ts'
import { failureData, isFailure } from '../headend/errors.ts'
import type { Caller, HeadendContext } from '../headend/headend.ts'
import {
  createRunQuestions,
  type RunQuestions,
  type OpenQuestion,
  readAnswer,
  readDecision,
} from '../human-input/run-questions.ts'
import { type MessageInput, messageData, messageText } from './read-message.ts'
import type { A2ATask, TaskUpdate } from './task-store.ts'

/** The agent and the input of a new task. */
interface NewTask {
  readonly agent: AgentDefinition
  readonly message: Message
  readonly messageInput: MessageInput
}

/** Starts a task. The task id is the run id, and the context id is the session id. */
export function startTask(newTask: NewTask, caller: Caller, context: HeadendContext): A2ATask {
  const { agent, message } = newTask
  const id = context.newId('run')
  const contextId = message.contextId === '' ? id : message.contextId
  const stop = new AbortController()
  const record = createTaskRecord({ id, contextId, message }, context)
  const answer = createAnswerText({ isWhole: agent.output.format === 'json' })
  let isDetached = false
  let isOver = false
  const questions = createRunQuestions(() => {
    if (!isOver) updateState(record, questions)
  })

  function receive(event: RunEvent): void {
    if (record.hasState(TaskState.TASK_STATE_SUBMITTED)) record.setState(TaskState.TASK_STATE_WORKING)
    record.sendPiece([textPart(answer.read(event))])
  }

  function end(last: RunReport | Failure): void {
    const { state, parts, whole, rest } = taskEnd(last, answer.end)
    if (rest !== undefined) record.sendPiece(rest, true)
    record.setAnswer(whole, isFailure(last) ? undefined : metadataOf(last))
    isOver = true
    record.setState(state, parts)
  }

  const { approve, ask } = questions
  const options = { ...optionsOf(newTask), runId: id, approve, ask, onEvent: receive }
  const run = { agent: agent.name, input: newTask.messageInput.input, options }
  const done = runForCaller(run, { request: stop, caller }, context).then(end)

  const isIdle = (): boolean => isOver || record.hasState(TaskState.TASK_STATE_INPUT_REQUIRED)
  return {
    id,
    agent: agent.name,
    principal: caller.principal,
    view: record.view,
    isOver: () => isOver,
    isIdle,
    detach() {
      isDetached = true
    },
    follow(listener) {
      const unfollow = record.follow(listener)
      return () => {
        unfollow()
        if (!record.isFollowed() && !isDetached && !isIdle())
          stop.abort(failure('run_cancelled', 'The client disconnected.'))
      }
    },
    answer(reply) {
      const data = messageData(reply)
      const question = namedQuestion(questions.list(), data)
      if (question === undefined) return false
      record.addMessage(reply)
      if (!settleQuestion(question, data ?? messageText(reply)))
        record.setState(TaskState.TASK_STATE_INPUT_REQUIRED, [
          textPart(NOT_CLEAR),
          ...questionParts(question),
        ])
      return true
    },
    async cancel() {
      stop.abort(failure('run_cancelled', 'The task was cancelled.'))
      await done
    },
  }
}

/** Updates the state of the task after a change of the open questions. */
function updateState(record: TaskRecord, questions: RunQuestions): void {
  const [question] = questions.list()
  if (question === undefined) record.setState(TaskState.TASK_STATE_WORKING)
  else record.setState(TaskState.TASK_STATE_INPUT_REQUIRED, questionParts(question))
}

/** Returns the run options. A message without a context starts a new conversation. */
function optionsOf({ message, messageInput }: NewTask): RunOptions {
  const { contextId } = message
  return {
    headless: false,
    ...(contextId === '' ? {} : { sessionId: contextId }),
    ...(messageInput.attachments.length === 0 ? {} : { attachments: messageInput.attachments }),
  }
}

/** Converts a question to a text part and a data part. */
function questionParts(openQuestion: OpenQuestion): readonly Part[] {
  const { agent, toolName } = openQuestion
  if (openQuestion.kind === 'approval') {
    const { id: approvalId, args, reason } = openQuestion
    return [
      textPart(`${agent} wants to call ${toolName}. Answer approve or deny.`),
      dataPart({ approvalId, agent, toolName, args, ...(reason === undefined ? {} : { reason }) }),
    ]
  }
  const { id: questionId, question, choices, form } = openQuestion
  const more = { ...(choices === undefined ? {} : { choices }), ...(form === undefined ? {} : { form }) }
  return [textPart(question), dataPart({ questionId, agent, toolName, question, ...more })]
}

/** Text before a question that is asked again. */
const NOT_CLEAR = 'The answer is not clear, so nothing was approved or answered.'

/** Returns the open question that the data of a message names, otherwise the first one. */
function namedQuestion(
  open: readonly OpenQuestion[],
  data: JsonObject | undefined,
): OpenQuestion | undefined {
  const namedId = data?.['approvalId'] ?? data?.['questionId']
  return namedId === undefined ? open[0] : open.find(({ id }) => id === namedId)
}

/** Passes an answer to a question. Returns false if the answer is not clear, which changes nothing. */
function settleQuestion(openQuestion: OpenQuestion, content: string | JsonObject): boolean {
  if (openQuestion.kind === 'approval') return settle(openQuestion, readDecision(content))
  return settle(openQuestion, readAnswer(content))
}

function settle<Answer>(openQuestion: { settle(answer: Answer): void }, answer: Answer | undefined): boolean {
  if (answer === undefined) return false
  openQuestion.settle(answer)
  return true
}

/** The end of a task. */
interface TaskEnd {
  readonly state: TaskState
  /** Parts of the final status message. */
  readonly parts?: readonly Part[]
  /** Parts of the whole answer. */
  readonly whole?: readonly Part[]
  /** Parts of the answer that were not sent yet. */
  readonly rest?: readonly Part[]
}

/**
 * Returns the end of a task. `missingOf` returns the text of the answer that was not sent yet. A run that
 * could not start is a rejected task.
 */
function taskEnd(last: RunReport | Failure, missingOf: (report: RunReport) => string): TaskEnd {
  if (isFailure(last)) {
    const isStopped = last.code === 'run_cancelled'
    const state = isStopped ? TaskState.TASK_STATE_CANCELED : TaskState.TASK_STATE_REJECTED
    return { state, parts: failureParts(last) }
  }
  const { outcome, output, error } = last
  if (outcome === 'completed' || outcome === 'partial') {
    const isJson = output.value !== undefined
    const files = (output.files ?? []).flatMap(filePart)
    const whole = [isJson ? dataPart(output.value) : textPart(output.text ?? ''), ...files]
    return {
      state: TaskState.TASK_STATE_COMPLETED,
      whole,
      rest: isJson ? whole : [textPart(missingOf(last)), ...files],
      ...(error === undefined ? {} : { parts: failureParts(error) }),
    }
  }
  return { state: stateOf(last), ...(error === undefined ? {} : { parts: failureParts(error) }) }
}

/** Returns the metadata of a task. The protocol has no field for citations. */
function metadataOf({ outcome, usage, output: { citations } }: RunReport): Task['metadata'] {
  return { outcome, usage, ...(citations === undefined ? {} : { citations }) }
}

/** Returns the state of a task without an answer. A model that refuses to answer rejects the task. */
function stateOf(last: RunReport): TaskState {
  if (last.outcome === 'cancelled') return TaskState.TASK_STATE_CANCELED
  return isRefused(last) ? TaskState.TASK_STATE_REJECTED : TaskState.TASK_STATE_FAILED
}

/** The state of a task as its clients see it, with listeners for updates. */
interface TaskRecord {
  view(): Task
  hasState(state: TaskState): boolean
  isFollowed(): boolean
  /** Adds a listener for updates. Returns a function that removes it. */
  follow(listener: (update: TaskUpdate) => void): () => void
  /** Changes the state, with these parts as its message. */
  setState(state: TaskState, parts?: readonly Part[]): void
  /** Sends a piece of the answer. An empty piece is only sent if it is the last. */
  sendPiece(parts: readonly Part[], isLast?: boolean): void
  /** Adds a message of the client to the history. */
  addMessage(message: Message): void
  /**
   * Sets the whole answer, if there is one, and the metadata of the run, which is sent with the next state.
   */
  setAnswer(whole: readonly Part[] | undefined, metadata: Task['metadata']): void
}

/** Maximum number of messages that a task keeps. The oldest one is dropped first. */
const MAX_HISTORY = 100
/** Id of the single artifact of a task. */
const ANSWER = 'answer'

/** Creates the record of a task that was submitted with this message. */
function createTaskRecord(
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
    hasState: (state) => task.status?.state === state,
    isFollowed: () => followers.size > 0,
    follow(listener) {
      followers.add(listener)
      return () => followers.delete(listener)
    },
    setState(state, parts) {
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
      task = { ...task, history: [...task.history, { ...reply, taskId: id, contextId }].slice(-MAX_HISTORY) }
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
function textPart(value: string): Part {
  return { content: { $case: 'text', value }, mediaType: 'text/plain', filename: '', metadata: undefined }
}

/** Creates a data part of a message or artifact from a JSON value. */
function dataPart(value: unknown): Part {
  return {
    content: { $case: 'data', value },
    mediaType: 'application/json',
    filename: '',
    metadata: undefined,
  }
}

/** Converts a file of an answer to a part. */
function filePart({ mediaType, data, filename = '', uri }: OutputFile): readonly Part[] {
  const described = { mediaType, filename, metadata: undefined }
  if (data !== undefined)
    return [{ content: { $case: 'raw', value: Buffer.from(data, 'base64') }, ...described }]
  return uri === undefined ? [] : [{ content: { $case: 'url', value: uri }, ...described }]
}

/** Converts a failure to a text part for people and a data part for programs. */
function failureParts(reason: Failure): readonly Part[] {
  return [textPart(`${reason.message} ${reason.remediation}`), dataPart(failureData(reason))]
}

/** Creates a message of the agent about its task. */
function agentMessage(
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
