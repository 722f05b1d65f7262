import { Role, type Message, type SendMessageRequest, type StreamResponse, type Task } from '@a2a-js/sdk'
import {
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server'
import type { AgentDefinition } from '@troupe/schema'
import { isFailure } from '../headend/errors.ts'
import type { Caller, HeadendContext } from '../headend/headend.ts'
import { toA2AError } from './a2a-error.ts'
import { toAgentCard, toPublicCard, type A2AVersion } from './agent-card.ts'
import type { PushNotifier } from './push-notifier.ts'
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
  readonly push: PushNotifier
  readonly versions: readonly A2AVersion[]
  readonly context: HeadendContext
}

/**
 * Creates the A2A operations for one request. They throw errors of the SDK, which formats them for either
 * protocol version.
 */
export function createTaskHandler(
  { agent, url, caller, signal }: TaskRequest,
  { taskStore, push, versions, context }: A2AServices,
): A2ARequestHandler {
  const owner = { principal: caller.principal, agent: agent.name }
  const { authentication } = context
  const access = { url, authentication, versions }
  const find = (id: string): A2ATask => {
    if (id === '') throw new RequestMalformedError('The id of the task is required.')
    const task = taskStore.find(id, owner)
    if (task === undefined) throw new TaskNotFoundError(`There is no task ${id.slice(0, 100)}.`)
    return task
  }

  /**
   * Starts a new task, or continues the task that the message belongs to, and sends push notifications about it
   * if the request configures them.
   */
  function send(
    { message, configuration }: SendMessageRequest,
    { requestedVersion: version }: ServerCallContext,
  ): A2ATask {
    if (message === undefined) throw new RequestMalformedError('message: required.')
    if (message.messageId === '') throw new RequestMalformedError('message.messageId: required.')
    if (message.role !== Role.ROLE_USER && message.role !== Role.ROLE_AGENT)
      throw new RequestMalformedError('message.role: unknown. Use ROLE_USER.')
    const { taskPushNotificationConfig } = configuration ?? {}
    const config = taskPushNotificationConfig && push.check(taskPushNotificationConfig)
    const notify = (task: A2ATask): void => {
      if (config !== undefined) push.set(task, config, { url, version })
    }
    if (message.taskId !== '') {
      const task = find(message.taskId)
      notify(task)
      return continueTask(task, message)
    }
    const messageInput = readMessage(message, agent)
    if (isFailure(messageInput)) throw toA2AError(messageInput)
    const task = startTask({ agent, message, messageInput }, caller, context)
    taskStore.add(task)
    notify(task)
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
    getAgentCard: async () => toPublicCard(agent, access),
    async getAuthenticatedExtendedAgentCard() {
      if (authentication === undefined)
        throw new UnsupportedOperationError(
          'There is no extended agent card; every caller gets the same card.',
        )
      return toAgentCard(agent, access)
    },
    async sendMessage(request, call) {
      const task = send(request, call)
      const { historyLength, returnImmediately = false } = request.configuration ?? {}
      if (returnImmediately) task.detach()
      else await waitUntilIdle(task, signal)
      return withHistory(task.view(), historyLength)
    },
    async *sendMessageStream(request, call) {
      yield* stream(send(request, call), {
        until: 'idle',
        historyLength: request.configuration?.historyLength,
      })
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
    createTaskPushNotificationConfig: async (config, { requestedVersion: version }) =>
      push.set(find(config.taskId), push.check(config), { url, version }),
    async getTaskPushNotificationConfig({ taskId, id }) {
      const config = push.get(find(taskId), id)
      if (config !== undefined) return config
      throw new TaskNotFoundError(
        `The task ${taskId} has no push notification configuration ${id.slice(0, 100)}.`,
      )
    },
    listTaskPushNotificationConfigs: async ({ taskId }) => ({
      configs: push.list(find(taskId)),
      nextPageToken: '',
    }),
    deleteTaskPushNotificationConfig: async ({ taskId, id }) => push.delete(find(taskId), id),
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
