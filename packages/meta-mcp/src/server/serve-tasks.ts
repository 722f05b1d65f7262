import {
  CLIENT_CAPABILITIES_META_KEY,
  fromJsonSchema,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type InputRequests,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { getOwn, isJsonObject } from '@troupe/schema'
import { formAnswers, type FormAnswer } from '../human-input/forms.ts'

/** Id of the extension for tasks. */
const TASKS = 'io.modelcontextprotocol/tasks'

/** Capabilities of a server with tasks. */
export const TASK_CAPABILITIES: { readonly extensions: Record<string, Record<string, never>> } = {
  extensions: { [TASKS]: {} },
}

/** A call that the client follows by its task id. */
export interface CallTask {
  readonly taskId: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly state:
    | { readonly status: 'working' | 'cancelled' }
    | { readonly status: 'input_required'; readonly inputRequests: InputRequests }
    | { readonly status: 'completed'; readonly result: CallToolResult }
    | { readonly status: 'failed'; readonly message: string }
}

/** The tasks of one caller. All methods return `undefined` for an unknown task. */
export interface TaskSource {
  get(taskId: string): Promise<CallTask | undefined>
  /** Passes answers to forms on. Answers to unknown forms are ignored. */
  update(taskId: string, answers: ReadonlyMap<string, FormAnswer>): Promise<true | undefined>
  cancel(taskId: string): Promise<true | undefined>
}

/** Time between requests that clients should keep, in ms. */
const POLL_INTERVAL_MS = 1000

/** Returns true if the client of a request supports tasks. Clients of older protocols never do. */
export function supportsTasks({ mcpReq: { envelope } }: ServerContext): boolean {
  return declaresTasks(envelope)
}

/** Returns true if the `_meta` of a request declares that its client supports tasks. */
export function declaresTasks(meta: unknown): boolean {
  const capabilities: unknown = isJsonObject(meta) ? getOwn(meta, CLIENT_CAPABILITIES_META_KEY) : undefined
  const extensions = isJsonObject(capabilities) ? capabilities['extensions'] : undefined
  return isJsonObject(extensions) && Object.hasOwn(extensions, TASKS)
}

/** Creates the result of a call that continues as a task. */
export function toTaskResult(task: CallTask): CallToolResult {
  return { ...taskFields(task), resultType: 'task', content: [] }
}

const PARAMS = fromJsonSchema<{ readonly taskId: string }>({
  type: 'object',
  properties: { taskId: { type: 'string', maxLength: 200 } },
  required: ['taskId'],
})

/**
 * Answers requests for tasks. Clients must support the extension. The server must have the `TASK_CAPABILITIES`.
 */
export function serveTasks(server: Server, source: TaskSource): void {
  server.setRequestHandler('tasks/get', { params: PARAMS }, async ({ taskId }, context) => {
    requireTasks(context)
    return detailsOf(known(await source.get(taskId)))
  })
  server.setRequestHandler('tasks/update', { params: PARAMS }, async ({ taskId }, context) => {
    requireTasks(context)
    known(await source.update(taskId, formAnswers(context)))
    return {}
  })
  server.setRequestHandler('tasks/cancel', { params: PARAMS }, async ({ taskId }, context) => {
    requireTasks(context)
    known(await source.cancel(taskId))
    return {}
  })
}

/** Creates the notification of a client that listens to a task: the task as `tasks/get` returns it. */
export function toTaskNotification(task: CallTask): {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
} {
  return { method: 'notifications/tasks', params: detailsOf(task) }
}

function detailsOf(task: CallTask): Readonly<Record<string, unknown>> {
  return { ...taskFields(task), ...stateFields(task) }
}

function requireTasks(context: ServerContext): void {
  if (!supportsTasks(context))
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: TASK_CAPABILITIES })
}

function known<T>(found: T | undefined): T {
  if (found !== undefined) return found
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Task not found')
}

/** Returns the fields of every task. Tasks stay readable as long as their runs are stored. */
function taskFields({ taskId, createdAt, updatedAt, state }: CallTask): Readonly<Record<string, unknown>> {
  return {
    taskId,
    status: state.status,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: null,
    pollIntervalMs: POLL_INTERVAL_MS,
  }
}

function stateFields({ state }: CallTask): Readonly<Record<string, unknown>> {
  switch (state.status) {
    case 'input_required':
      return { inputRequests: state.inputRequests }
    case 'completed':
      return { result: { ...state.result, resultType: 'complete' } }
    case 'failed':
      return { error: { code: ProtocolErrorCode.InternalError, message: state.message } }
    default:
      return {}
  }
}
