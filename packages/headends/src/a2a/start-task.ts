import { TaskState, type Message, type Part } from '@a2a-js/sdk'
import {
  failure,
  type AgentDefinition,
  type Failure,
  type RunEvent,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import { createAnswerText } from '../client-runs/answer-text.ts'
import { runForCaller } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import type { Caller, HeadendContext } from '../headend/headend.ts'
import {
  createRunQuestions,
  type RunQuestions,
  type OpenQuestion,
  readAnswer,
  readDecision,
} from '../human-input/run-questions.ts'
import { type MessageInput, messageData, messageText } from './read-message.ts'
import { textPart, createTaskRecord, type TaskRecord, dataPart, failureParts } from './task-record.ts'
import type { A2ATask } from './task-store.ts'

/** The agent and the input of a new task. */
export interface WantedTask {
  readonly agent: AgentDefinition
  readonly message: Message
  readonly messageInput: MessageInput
}

/** Starts a task. The task id is the run id, and the context id is the session id. */
export function startTask(wanted: WantedTask, caller: Caller, context: HeadendContext): A2ATask {
  const { agent, message } = wanted
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
    if (record.isIn(TaskState.TASK_STATE_SUBMITTED)) record.enter(TaskState.TASK_STATE_WORKING)
    record.sendPiece([textPart(answer.read(event))])
  }

  function end(last: RunReport | Failure): void {
    const { state, parts, whole, rest } = taskEnd(last, answer.end)
    if (rest !== undefined) record.sendPiece(rest, true)
    record.setAnswer(whole, isFailure(last) ? undefined : { outcome: last.outcome, usage: last.usage })
    isOver = true
    record.enter(state, parts)
  }

  const { approve, ask } = questions
  const options = { ...optionsOf(wanted), runId: id, approve, ask, onEvent: receive }
  const run = { agent: agent.name, input: wanted.messageInput.input, options }
  const done = runForCaller(run, { request: stop, caller }, context).then(end)

  const isIdle = (): boolean => isOver || record.isIn(TaskState.TASK_STATE_INPUT_REQUIRED)
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
      if (!answerQuestion(questions.list(), reply)) return false
      record.addMessage(reply)
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
  if (question === undefined) record.enter(TaskState.TASK_STATE_WORKING)
  else record.enter(TaskState.TASK_STATE_INPUT_REQUIRED, questionParts(question))
}

/** Returns the run options. A message without a context starts a new conversation. */
function optionsOf({ message, messageInput }: WantedTask): RunOptions {
  const { contextId } = message
  return {
    headless: false,
    ...(contextId === '' ? {} : { sessionId: contextId }),
    ...(messageInput.attachments.length === 0 ? {} : { attachments: messageInput.attachments }),
  }
}

/** Converts a question to a text part and a data part. */
export function questionParts(openQuestion: OpenQuestion): readonly Part[] {
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

/**
 * Passes a message to the question that it names, otherwise to the first one. Returns false if it is not an
 * answer to that question.
 */
export function answerQuestion(open: readonly OpenQuestion[], message: Message): boolean {
  const data = messageData(message)
  const named = data?.['approvalId'] ?? data?.['questionId']
  const openQuestion = named === undefined ? open[0] : open.find(({ id }) => id === named)
  if (openQuestion === undefined) return false
  const given = data ?? messageText(message)
  if (openQuestion.kind === 'approval') return settle(openQuestion, readDecision(given))
  return settle(openQuestion, readAnswer(given))
}

function settle<Answer>(openQuestion: { settle(answer: Answer): void }, answer: Answer | undefined): boolean {
  if (answer === undefined) return false
  openQuestion.settle(answer)
  return true
}

/** The end of a task. */
export interface TaskEnd {
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
export function taskEnd(last: RunReport | Failure, missingOf: (report: RunReport) => string): TaskEnd {
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
