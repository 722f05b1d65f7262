import { Role, type Message, type SendMessageRequest, type StreamResponse, type Task } from '@a2a-js/sdk'
import {
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import type { AgentDefinition } from '@troupe/schema'
import { isFailure } from '../headend/errors.ts'
import type { Caller, HeadendContext } from '../headend/headend.ts'
import { toA2AError } from './a2a-error.ts'
import { toAgentCard, toPublicCard } from './agent-card.ts'
import { readMessage } from './read-message.ts'
import { startTask } from './start-task.ts'
import { followTask, listProblem, waitUntilIdle, type A2ATask, type TaskStore } from './task-store.ts'

/** A request to one agent. */
export interface TaskRequest {
  readonly agent: AgentDefinition
  /** URL of the agent. */
  readonly url: string
  readonly caller: Caller
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}

/** Dependencies of the operations. */
export interface A2AServices {
  readonly taskStore: TaskStore
  readonly context: HeadendContext
}

/**
 * Creates the A2A operations for one request. They throw errors of the SDK, which formats them for either
 * protocol version.
 */
export function createTaskHandler(
  { agent, url, caller, signal }: TaskRequest,
  { taskStore, context }: A2AServices,
): A2ARequestHandler {
  const owner = { principal: caller.principal, agent: agent.name }
  const { authentication = [] } = context
  const find = (id: string): A2ATask => {
    if (id === '') throw new RequestMalformedError('id: required.')
    const task = taskStore.find(id, owner)
    if (task === undefined) throw new TaskNotFoundError(`There is no task ${id.slice(0, 100)}.`)
    return task
  }

  /** Starts a new task, or continues the task that the message belongs to. */
  function send({ message }: SendMessageRequest): A2ATask {
    if (message === undefined) throw new RequestMalformedError('message: required.')
    if (message.messageId === '') throw new RequestMalformedError('message.messageId: required.')
    if (message.role !== Role.ROLE_USER && message.role !== Role.ROLE_AGENT)
      throw new RequestMalformedError('message.role: unknown. Use ROLE_USER.')
    if (message.taskId !== '') return continueTask(find(message.taskId), message)
    const messageInput = readMessage(message, agent)
    if (isFailure(messageInput)) throw toA2AError(messageInput)
    const task = startTask({ agent, message, messageInput }, caller, context)
    taskStore.add(task)
    return task
  }

  async function* stream(
    task: A2ATask,
    {
      until,
      historyLength,
    }: { readonly until: 'idle' | 'over'; readonly historyLength?: number | undefined },
  ): AsyncGenerator<StreamResponse, void, undefined> {
    for await (const update of followTask(task, { signal, until }))
      yield {
        payload:
          update.$case === 'task' ? { ...update, value: withHistory(update.value, historyLength) } : update,
      }
  }

  return {
    getAgentCard: async () => toPublicCard(agent, { url, authentication }),
    async getAuthenticatedExtendedAgentCard() {
      if (authentication.length === 0)
        throw new UnsupportedOperationError(
          'There is no extended agent card; every caller gets the same card.',
        )
      return toAgentCard(agent, { url, authentication })
    },
    async sendMessage(request) {
      const task = send(request)
      const { historyLength, returnImmediately = false } = request.configuration ?? {}
      if (returnImmediately) task.detach()
      else await waitUntilIdle(task, signal)
      return withHistory(task.view(), historyLength)
    },
    async *sendMessageStream(request) {
      yield* stream(send(request), { until: 'idle', historyLength: request.configuration?.historyLength })
    },
    async *resubscribe({ id }) {
      const task = find(id)
      if (task.isOver()) throw new UnsupportedOperationError(`The task ${id} has ended.`)
      yield* stream(task, { until: 'over' })
    },
    getTask: async ({ id, historyLength }) => withHistory(find(id).view(), historyLength),
    async listTasks(request) {
      const problem = listProblem(request)
      if (problem !== undefined) throw new RequestMalformedError(problem)
      const page = taskStore.list(request, owner)
      if (page === undefined) throw new RequestMalformedError('pageToken: this page no longer exists.')
      return { ...page, tasks: page.tasks.map((task) => withHistory(task, request.historyLength ?? 0)) }
    },
    async cancelTask({ id }) {
      const task = find(id)
      if (task.isOver()) throw new TaskNotCancelableError(`The task ${id} has ended.`)
      await task.cancel()
      return task.view()
    },
    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
  }
}

/** Passes a message to a task as the answer to its question. */
function continueTask(task: A2ATask, message: Message): A2ATask {
  const { id, contextId } = task.view()
  if (message.contextId !== '' && message.contextId !== contextId)
    throw new RequestMalformedError(`message.contextId: the task ${id} belongs to ${contextId}.`)
  if (task.isOver())
    throw new UnsupportedOperationError(
      `The task ${id} has ended. Use its contextId to continue in a new task.`,
    )
  if (!task.isIdle())
    throw new UnsupportedOperationError(
      `The task ${id} is running and does not need input. Wait until it ends, or cancel it.`,
    )
  if (!task.answer(message))
    throw new RequestMalformedError('message: names a question that is not open. See the status of the task.')
  return task
}

function withHistory(task: Task, length: number | undefined): Task {
  if (length === undefined) return task
  return { ...task, history: length <= 0 ? [] : task.history.slice(-length) }
}

function noPush(): Promise<never> {
  return Promise.reject(
    new PushNotificationNotSupportedError(
      'Push notifications are not supported. Subscribe to the task instead.',
    ),
  )
}
