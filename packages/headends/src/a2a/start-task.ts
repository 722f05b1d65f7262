import { TaskState, type Message } from '@a2a-js/sdk'
import {
  failure,
  type AgentDefinition,
  type Failure,
  type RunEvent,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import { createAnswerText } from '../answer-text.ts'
import type { Caller } from '../caller.ts'
import type { HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { createRunQuestions, type RunQuestions } from '../human-input/run-questions.ts'
import { runForCaller } from '../run-for-caller.ts'
import type { A2ATask } from './a2a-task.ts'
import { answerQuestion, questionParts } from './answer-question.ts'
import type { MessageInput } from './read-message.ts'
import { taskEnd } from './task-end.ts'
import { textPart } from './task-parts.ts'
import { createTaskRecord, type TaskRecord } from './task-record.ts'

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
          stop.abort(failure('run_cancelled', 'The client left.'))
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
