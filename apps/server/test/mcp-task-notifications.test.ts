import { Client, StreamableHTTPClientTransport, type McpSubscription } from '@modelcontextprotocol/client'
import { TaskStatusNotificationV2Schema } from '@modelcontextprotocol/ext-tasks/core/v2'
import { defineAgent } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { deferred } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { describe, expect, it, onTestFinished } from 'vitest'
import { INFO } from './support/connect-mcp.ts'
import {
  CAPABILITIES,
  get,
  request,
  startTask,
  untilStatus,
  VERSION,
  wiping,
  type Server,
} from './support/mcp-tasks.ts'
import { oneAgent } from './support/one-agent.ts'
import { serveTeam, type TeamToServe } from './support/serve-team.ts'

/** A notification about a task. */
interface TaskNotification {
  readonly taskId: string
  readonly status: string
  readonly inputRequests?: Readonly<Record<string, object>>
  readonly result?: { readonly content: unknown }
}

interface Listener {
  readonly notifications: readonly TaskNotification[]
  listen(...taskIds: readonly string[]): Promise<McpSubscription>
}

/** Connects the client of the SDK. */
async function connect(
  { url }: Server,
  { token, capabilities = CAPABILITIES }: { readonly token?: string; readonly capabilities?: object } = {},
): Promise<Listener> {
  const client = new Client(INFO, { capabilities, versionNegotiation: { mode: { pin: VERSION } } })
  onTestFinished(() => client.close())
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  const notifications: TaskNotification[] = []
  client.fallbackNotificationHandler = async ({ method, params }) => {
    TaskStatusNotificationV2Schema.parse({ jsonrpc: '2.0', method, params })
    notifications.push(params as unknown as TaskNotification)
  }
  return { notifications, listen: (...taskIds) => client.listen({ taskIds } as object) }
}

/** Returns an agent that calls its model once, which waits until it is released. */
function heldAgent(): TeamToServe & { release(): void } {
  const held = deferred()
  const one = scriptedModel(async (_, { options: { abortSignal } }) => {
    const stopped = new Promise((resolve) => {
      abortSignal?.addEventListener('abort', resolve)
    })
    await Promise.race([held.promise, stopped])
    return { text: 'Hello.' }
  })
  const agent = defineAgent({ name: 'One', description: 'Waits.', instruction: 'Wait.', model: 'test/one' })
  return { cards: [agent], models: { one }, release: () => held.resolve() }
}

describe('notifications about MCP tasks', () => {
  it('a client that listens to a task gets each change of its status, until it has ended', async () => {
    const team = wiping()
    const held = deferred()
    const one = scriptedModel(async (prompt) => {
      if (prompt.at(-1)?.role !== 'tool') return { calls: [{ tool: 'wipe', args: { folder: 'home' } }] }
      await held.promise
      return { text: 'Done.' }
    })
    const server = await serveTeam({ ...team, models: { one } })
    const { listen, notifications } = await connect(server)
    const taskId = await startTask(server)
    const subscription = await listen(taskId)
    await expect.poll(() => notifications.length).toBe(1)
    expect(notifications).toMatchObject([
      {
        taskId,
        status: 'input_required',
        inputRequests: expect.any(Object),
        pollIntervalMs: 1000,
        ttlMs: null,
      },
    ])
    const { result: { inputRequests, createdAt } = {} } = await get(server, taskId)
    expect(notifications[0]).toMatchObject({ inputRequests, createdAt })
    const [key = ''] = Object.keys(notifications[0]?.inputRequests ?? {})
    const inputResponses = { [key]: { action: 'accept', content: { answer: 'allow once' } } }
    await request(server, { method: 'tasks/update', params: { taskId, inputResponses } })
    await expect.poll(() => notifications.length).toBe(2)
    held.resolve()
    expect(await subscription.closed).toBe('graceful')
    expect(notifications.map(({ status }) => status)).toEqual(['input_required', 'working', 'completed'])
    expect(notifications[2]).toMatchObject({
      taskId,
      result: { resultType: 'complete', content: [{ type: 'text', text: 'Done.' }] },
      _meta: { 'io.modelcontextprotocol/subscriptionId': 'listen:0' },
    })
  })

  it('a client that listens too late gets the end of the task at once', async () => {
    const server = await serveTeam(oneAgent(() => ({ text: 'Hello.' })))
    const taskId = await startTask(server)
    await untilStatus(server, taskId, 'completed')
    const { listen, notifications } = await connect(server)
    expect(await (await listen(taskId)).closed).toBe('graceful')
    expect(notifications).toMatchObject([{ taskId, status: 'completed' }])
  })

  it('one stream follows several tasks, and ends with the last one', async () => {
    const team = heldAgent()
    const server = await serveTeam(team)
    const { listen, notifications } = await connect(server)
    const taskIds = [await startTask(server), await startTask(server)]
    const subscription = await listen(...taskIds, taskIds[0] ?? '')
    await request(server, { method: 'tasks/cancel', params: { taskId: taskIds[0] } })
    await expect.poll(() => notifications).toMatchObject([{ taskId: taskIds[0], status: 'cancelled' }])
    team.release()
    expect(await subscription.closed).toBe('graceful')
    expect(notifications.slice(1)).toMatchObject([{ taskId: taskIds[1], status: 'completed' }])
  })

  it('a client is notified of a task that another process of the same store works on', async () => {
    const store = createMemoryStore({ clock: SYSTEM_CLOCK })
    const team = heldAgent()
    const first = await serveTeam({ ...team, store })
    const second = await serveTeam({ ...heldAgent(), store })
    const taskId = await startTask(first)
    const { listen, notifications } = await connect(second)
    const subscription = await listen(taskId)
    team.release()
    expect(await subscription.closed).toBe('graceful')
    expect(notifications).toMatchObject([{ taskId, status: 'completed' }])
  })

  it('a client can leave the stream, and the task continues', async () => {
    const team = heldAgent()
    const server = await serveTeam({ ...team, limits: { maxFollowers: 1 } })
    const { listen, notifications } = await connect(server)
    const taskId = await startTask(server)
    const subscription = await listen(taskId)
    await expect(listen(taskId)).rejects.toThrow('already has 1 open event streams')
    await subscription.close()
    await expect.poll(async () => (await Promise.allSettled([listen(taskId)]))[0].status).toBe('fulfilled')
    team.release()
    await expect.poll(() => notifications).toMatchObject([{ taskId, status: 'completed' }])
  })

  it('a server that closes ends the streams of its clients', async () => {
    const server = await serveTeam(heldAgent())
    const { listen } = await connect(server)
    const subscription = await listen(await startTask(server))
    void server.server.close()
    await server.server.close()
    expect(await subscription.closed).toBe('graceful')
  })
})

describe('who may listen to MCP tasks', () => {
  it('tasks of other callers, and ids of no tasks, are not accepted', async () => {
    const tokens = [
      { token: 'token-of-ada-0001', principal: 'ada' },
      { token: 'token-of-ben-0001', principal: 'ben' },
    ]
    const team = heldAgent()
    const server = await serveTeam({ ...team, tokens })
    const [ada, ben] = tokens
    const taskId = await startTask(server, ada)
    const other = await connect(server, ben)
    const refused = await other.listen(taskId, 'run_unknown', 'x'.repeat(5000))
    expect(await refused.closed).toBe('graceful')
    team.release()
    const own = await connect(server, ada)
    expect(await (await own.listen(taskId)).closed).toBe('graceful')
    expect(own.notifications).toMatchObject([{ taskId, status: 'completed' }])
    expect(other.notifications).toEqual([])
  })

  it('a client that does not declare tasks gets an error that names the capability', async () => {
    const server = await serveTeam(oneAgent(() => ({ text: 'Hello.' })))
    const taskId = await startTask(server)
    const params = { notifications: { taskIds: [taskId] } }
    const { error } = await request(server, { method: 'subscriptions/listen', params }, { capabilities: {} })
    expect(error).toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    })
  })

  it('a request without the headers of the protocol is rejected as any other', async () => {
    const server = await serveTeam(oneAgent(() => ({ text: 'Hello.' })))
    const taskId = await startTask(server)
    const params = { notifications: { taskIds: [taskId] } }
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }),
    })
    expect(response.status).toBe(400)
  })
})
