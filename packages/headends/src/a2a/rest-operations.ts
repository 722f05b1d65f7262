import { failure, type Failure } from '@troupe/schema'
import { z } from 'zod'
import type { Operation } from '../headend/headend.ts'
import type { QuerySchema } from '../request/read-json.ts'

/** An operation of the HTTP+JSON binding. */
export interface RestOperation extends Pick<Operation, 'id' | 'summary'> {
  readonly verb: 'GET' | 'POST' | 'DELETE'
  /** Path below the address of the agent. Its parameters are parameters of the method, too. */
  readonly path: string
  /** Method of the JSON-RPC binding for the same operation. */
  readonly method: string
  readonly query?: QuerySchema<Readonly<Record<string, unknown>>>
  /** Schema of the body. Without one, a body is ignored. */
  readonly body?: z.ZodType
  /** Status of a successful response. Default: 200. */
  readonly status?: 200 | 201 | 204
  /** True if the response is a stream of events. */
  readonly streams?: boolean
}

const integer = z
  .string()
  .regex(/^\d{1,9}$/u, 'must be an integer')
  .transform(Number)
const message = z.looseObject({
  message: z.looseObject({}).meta({ description: 'A `Message` of A2A 1.0.' }),
})
const pushConfig = z.looseObject({ url: z.string() })

/** Parameters of every query: the version, and the tenant, which agents do not have. */
const common = { 'A2A-Version': z.string().optional(), tenant: z.string().optional() }
const NO_QUERY = z.object(common)

/** The operations of the HTTP+JSON binding. */
export const REST_OPERATIONS: readonly RestOperation[] = [
  {
    id: 'sendA2aMessage',
    summary: 'Send a message to an agent over A2A',
    verb: 'POST',
    path: '/message:send',
    method: 'SendMessage',
    body: message,
  },
  {
    id: 'streamA2aMessage',
    summary: 'Send a message to an agent over A2A, and stream the updates of its task',
    verb: 'POST',
    path: '/message:stream',
    method: 'SendStreamingMessage',
    body: message,
    streams: true,
  },
  {
    id: 'listA2aTasks',
    summary: 'List A2A tasks, the most recently updated first',
    verb: 'GET',
    path: '/tasks',
    method: 'ListTasks',
    query: z.object({
      ...common,
      contextId: z.string().optional(),
      status: z.string().optional(),
      pageSize: integer.optional(),
      pageToken: z.string().optional(),
      historyLength: integer.optional(),
      statusTimestampAfter: z.string().optional(),
      includeArtifacts: z
        .enum(['true', 'false'])
        .transform((value) => value === 'true')
        .optional(),
    }),
  },
  {
    id: 'readA2aTask',
    summary: 'Get an A2A task',
    verb: 'GET',
    path: '/tasks/:id',
    method: 'GetTask',
    query: z.object({ ...common, historyLength: integer.optional() }),
  },
  {
    id: 'cancelA2aTask',
    summary: 'Cancel an A2A task',
    verb: 'POST',
    path: '/tasks/:id:cancel',
    method: 'CancelTask',
  },
  ...(['GET', 'POST'] as const).map((verb): RestOperation => ({
    id: verb === 'GET' ? 'followA2aTask' : 'subscribeToA2aTask',
    summary: 'Stream the updates of an A2A task until it ends',
    verb,
    path: '/tasks/:id:subscribe',
    method: 'SubscribeToTask',
    streams: true,
  })),
  {
    id: 'createA2aPushConfig',
    summary: 'Send push notifications about an A2A task to a URL',
    verb: 'POST',
    path: '/tasks/:taskId/pushNotificationConfigs',
    method: 'CreateTaskPushNotificationConfig',
    body: pushConfig,
    status: 201,
  },
  {
    id: 'listA2aPushConfigs',
    summary: 'List the push notification configurations of an A2A task',
    verb: 'GET',
    path: '/tasks/:taskId/pushNotificationConfigs',
    method: 'ListTaskPushNotificationConfigs',
    query: z.object({ ...common, pageSize: integer.optional(), pageToken: z.string().optional() }),
  },
  {
    id: 'readA2aPushConfig',
    summary: 'Get a push notification configuration of an A2A task',
    verb: 'GET',
    path: '/tasks/:taskId/pushNotificationConfigs/:id',
    method: 'GetTaskPushNotificationConfig',
  },
  {
    id: 'deleteA2aPushConfig',
    summary: 'Stop push notifications about an A2A task to a URL',
    verb: 'DELETE',
    path: '/tasks/:taskId/pushNotificationConfigs/:id',
    method: 'DeleteTaskPushNotificationConfig',
    status: 204,
  },
  {
    id: 'readExtendedAgentCard',
    summary: 'Get the extended agent card of an agent',
    verb: 'GET',
    path: '/extendedAgentCard',
    method: 'GetExtendedAgentCard',
  },
]

const PATTERNS = REST_OPERATIONS.map((operation) => ({
  operation,
  // hono's router cannot tell a verb from a parameter, so these paths are matched here
  pattern: new RegExp(`^${operation.path.replaceAll(/(?<=\/):(\w+)/gu, '(?<$1>[^/:]+)')}$`, 'u'),
}))

/** An operation with the parameters of its path. */
export interface FoundOperation {
  readonly operation: RestOperation
  readonly params: Readonly<Record<string, string>>
}

/** The reason why there is no operation, with the methods that the path accepts. */
interface MissingOperation {
  readonly reason: Failure
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Finds the operation of a path below the address of an agent, such as `/tasks/1:cancel`. The path may begin
 * with a tenant.
 */
export function findOperation(verb: string, path: string): FoundOperation | MissingOperation {
  const known = matching(path)
  const found = known.length > 0 ? known : matching(path.replace(/^\/[^/]+/u, ''))
  const match = found.find(({ operation }) => operation.verb === verb)
  if (match !== undefined) return match
  if (found.length === 0)
    return { reason: failure('route_unknown', `Nothing is served at ${path.slice(0, 200)}.`), headers: {} }
  const allow = found.map(({ operation }) => operation.verb).join(', ')
  return {
    reason: failure('method_unknown', `${path.slice(0, 200)} only accepts ${allow}.`),
    headers: { allow },
  }
}

function matching(path: string): readonly FoundOperation[] {
  return PATTERNS.flatMap(({ operation, pattern }) => {
    const match = pattern.exec(path)
    return match === null ? [] : [{ operation, params: { ...match.groups } }]
  })
}

/** Returns the schema of the query of an operation. */
export function queryOf({ query = NO_QUERY }: RestOperation): QuerySchema<Readonly<Record<string, unknown>>> {
  return query
}
