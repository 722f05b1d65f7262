import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  type JsonRpcResponse,
} from '@modelcontextprotocol/ext-tasks/client'
import { defineAgent, defineTool } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { deferred, scriptedModel } from '@troupe/testkit'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { INFO } from './support/connect-mcp.ts'
import { oneAgent } from './support/one-agent.ts'
import { PARROT, serveTeam, type TeamToServe } from './support/serve-team.ts'

const VERSION = '2026-07-28'
const TASKS = 'io.modelcontextprotocol/tasks'
const CAPABILITIES = { elicitation: { form: {} }, extensions: { [TASKS]: {} } }
const CALL = { name: 'One', arguments: { input: 'Hi', format: 'text' } }

/** The result of a call or of a request for a task. */
interface TaskResult {
  readonly resultType?: string
  readonly taskId?: string
  readonly status?: string
  readonly createdAt?: string
  readonly lastUpdatedAt?: string
  readonly inputRequests?: Readonly<Record<string, { readonly params: { readonly message: string } }>>
  readonly result?: { readonly content: unknown }
  readonly _meta?: { readonly runId?: string }
}

interface Answer {
  readonly result?: TaskResult
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

interface Sender {
  readonly token?: string
  readonly capabilities?: object
}

/** Sends one request of the newer protocol. */
async function request(
  { url }: { readonly url: string },
  { method, params = {} }: { readonly method: string; readonly params?: object },
  { token, capabilities = CAPABILITIES }: Sender = {},
): Promise<Answer> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': INFO,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  const { taskId, name = taskId } = params as { readonly taskId?: string; readonly name?: string }
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  })
  return (await response.json()) as Answer
}

type Server = Parameters<typeof request>[0]

/** Calls the agent and returns the id of its task. */
async function startTask(server: Server, sender?: Sender): Promise<string> {
  const { result } = await request(server, { method: 'tools/call', params: CALL }, sender)
  expect(result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null })
  return result?.taskId ?? ''
}

const get = (server: Server, taskId: string, sender?: Sender): Promise<Answer> =>
  request(server, { method: 'tasks/get', params: { taskId } }, sender)

async function untilStatus(server: Server, taskId: string, status: string): Promise<Answer['result']> {
  await expect.poll(async () => (await get(server, taskId)).result?.status).toBe(status)
  return (await get(server, taskId)).result
}

/** Returns an agent whose tool needs an approval, and the folders that it wiped. */
function wiping(): TeamToServe & { readonly wiped: string[] } {
  const wiped: string[] = []
  const wipe = defineTool({
    name: 'wipe',
    description: 'Wipes a folder.',
    input: z.object({ folder: z.string() }),
    requiresApproval: true,
    execute({ folder }) {
      wiped.push(folder)
      return 'wiped'
    },
  })
  const agent = defineAgent({
    name: 'One',
    description: 'Wipes.',
    instruction: 'Wipe.',
    model: 'test/one',
    functionTools: [wipe],
  })
  const one = scriptedModel((prompt) =>
    prompt.at(-1)?.role === 'tool'
      ? { text: 'Done.' }
      : { calls: [{ tool: 'wipe', args: { folder: 'home' } }] },
  )
  return { cards: [agent], models: { one }, wiped }
}

describe('a call of an agent as an MCP task', () => {
  it('the client for tasks gets the result of a call that the server runs as a task', async () => {
    const server = await serveTeam(oneAgent(() => ({ text: 'Hello.' })))
    const client = new Client(INFO, {
      capabilities: CAPABILITIES,
      versionNegotiation: { mode: { pin: VERSION } },
    })
    onTestFinished(() => client.close())
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)))
    expect(client.getServerCapabilities()).toMatchObject({ extensions: { [TASKS]: {} } })
    const methods: string[] = []
    const session = createTaskSessionFromClient(client, {
      endpointId: 'test',
      async rawDispatch(raw): Promise<JsonRpcResponse> {
        const sent = raw as unknown as Parameters<typeof request>[1]
        methods.push(sent.method)
        const { result, error } = await request(server, sent)
        return error === undefined
          ? { kind: 'result', result: result as never }
          : { kind: 'error', error: error as never }
      },
      v2RequestFraming: {
        protocolVersion: VERSION,
        clientInfo: INFO,
        clientCapabilities: CAPABILITIES,
      },
    })
    const execution = await session.callTool('One', CALL.arguments)
    const { outcome } = await execution.settle()
    expect(resultFromTaskOutcome(outcome)).toMatchObject({
      content: [{ type: 'text', text: 'Hello.' }],
      _meta: { outcome: 'completed' },
    })
    expect(methods).toEqual(expect.arrayContaining(['tools/call', 'tasks/get']))
    await session.close()
  })

  it('a task continues without its client and keeps its result, with the conversation to continue', async () => {
    const server = await serveTeam(oneAgent((words) => ({ text: String(words.length) })))
    const taskId = await startTask(server)
    const task = await untilStatus(server, taskId, 'completed')
    expect(task).toMatchObject({
      taskId,
      pollIntervalMs: 1000,
      result: {
        resultType: 'complete',
        content: [{ text: '2' }],
        _meta: { contextId: taskId, runId: taskId },
      },
    })
    expect(Date.parse(task?.lastUpdatedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(task?.createdAt ?? ''))
    const params = { name: 'One', arguments: { ...CALL.arguments, contextId: taskId } }
    const next = await request(server, { method: 'tools/call', params })
    const second = await untilStatus(server, next.result?.taskId ?? '', 'completed')
    expect(second?.result?.content).toEqual([{ type: 'text', text: '4' }])
  })

  it('a run that fails is a completed task whose result is the failure', async () => {
    const server = await serveTeam(oneAgent(() => ({ error: new Error('no model today') })))
    const task = await untilStatus(server, await startTask(server), 'completed')
    expect(task?.result).toMatchObject({
      isError: true,
      structuredContent: { outcome: 'failed', agent: 'One' },
    })
  })

  it('invalid arguments get a result at once, and no task', async () => {
    const server = await serveTeam({ cards: [PARROT] })
    const params = { name: 'Parrot', arguments: { input: 'Hi' } }
    const { result } = await request(server, { method: 'tools/call', params })
    expect(result).toMatchObject({
      resultType: 'complete',
      isError: true,
      structuredContent: { code: 'tool_bad_arguments' },
    })
  })

  it('a cancelled task cancels its run, and cancelling it again changes nothing', async () => {
    const begun = deferred()
    const slow = scriptedModel((_, { options: { abortSignal } }) => {
      begun.resolve()
      return new Promise((resolve) => {
        abortSignal?.addEventListener('abort', () => resolve({ text: 'too late' }))
      })
    })
    const agent = defineAgent({ name: 'One', description: 's', instruction: 's', model: 'test/slow' })
    const server = await serveTeam({ cards: [agent], models: { slow } })
    const taskId = await startTask(server)
    await begun.promise
    const cancel = { method: 'tasks/cancel', params: { taskId } }
    expect((await request(server, cancel)).result).toMatchObject({ resultType: 'complete' })
    expect(await untilStatus(server, taskId, 'cancelled')).not.toHaveProperty('result')
    expect((await request(server, cancel)).error).toBeUndefined()
  })

  it('a task that waits for an approval continues in another process after the answer to its form', async () => {
    const store = createMemoryStore({ clock: SYSTEM_CLOCK })
    const first = await serveTeam({ ...wiping(), store })
    const taskId = await startTask(first)
    await untilStatus(first, taskId, 'input_required')
    void first.server.close()
    await first.server.close()
    const team = wiping()
    const second = await serveTeam({ ...team, store })
    const task = await untilStatus(second, taskId, 'input_required')
    const [[key, form] = ['', undefined]] = Object.entries(task?.inputRequests ?? {})
    expect(form).toMatchObject({ method: 'elicitation/create' })
    expect(form?.params.message).toContain('wants to call wipe with\n{\n  "folder": "home"\n}')
    const update = (inputResponses: object) =>
      request(second, { method: 'tasks/update', params: { taskId, inputResponses } })
    await update({ other: { action: 'accept', content: { answer: 'allow once' } } })
    await update({ [key]: { action: 'accept', content: { answer: 'perhaps' } } })
    expect((await get(second, taskId)).result?.status).toBe('input_required')
    expect(team.wiped).toEqual([])
    await update({ [key]: { action: 'accept', content: { answer: 'allow once' } } })
    const done = await untilStatus(second, taskId, 'completed')
    expect(done?.result?.content).toEqual([{ type: 'text', text: 'Done.' }])
    expect(team.wiped).toEqual(['home'])
  })

  it('a client without forms gets no tools that need an approval in a task', async () => {
    const team = wiping()
    const server = await serveTeam(team)
    const sender = { capabilities: { extensions: { [TASKS]: {} } } }
    const taskId = await startTask(server, sender)
    await untilStatus(server, taskId, 'completed')
    expect(team.wiped).toEqual([])
  })
})

describe('who may use MCP tasks', () => {
  it('a client that does not declare tasks gets the result of a call, and no access to tasks', async () => {
    const server = await serveTeam(oneAgent(() => ({ text: 'Hello.' })))
    const taskId = await startTask(server)
    const plain = { capabilities: {} }
    const { result } = await request(server, { method: 'tools/call', params: CALL }, plain)
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello.' }] })
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const params = { taskId, ...(method === 'tasks/update' ? { inputResponses: {} } : {}) }
      const { error } = await request(server, { method, params }, plain)
      expect(error).toMatchObject({
        code: -32_021,
        data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
      })
    }
  })

  it('another caller can neither read, answer nor cancel a task', async () => {
    const tokens = [
      { token: 'token-of-ada-0001', principal: 'ada' },
      { token: 'token-of-ben-0001', principal: 'ben' },
    ]
    const team = wiping()
    const server = await serveTeam({ ...team, tokens })
    const [ada, ben] = tokens
    const taskId = await startTask(server, ada)
    await expect.poll(async () => (await get(server, taskId, ada)).result?.status).toBe('input_required')
    const { result } = await get(server, taskId, ada)
    const inputResponses = Object.fromEntries(
      Object.keys(result?.inputRequests ?? {}).map((key) => [
        key,
        { action: 'accept', content: { answer: 'allow once' } },
      ]),
    )
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const params = { taskId, ...(method === 'tasks/update' ? { inputResponses } : {}) }
      const { error } = await request(server, { method, params }, ben)
      expect(error).toMatchObject({ code: -32_602, message: 'Task not found' })
    }
    expect((await get(server, taskId, ada)).result?.status).toBe('input_required')
    expect(team.wiped).toEqual([])
  })

  it('a run that was not started as a task is no task', async () => {
    const server = await serveTeam(oneAgent(() => ({ text: 'Hello.' })))
    const { result } = await request(server, { method: 'tools/call', params: CALL }, { capabilities: {} })
    const { _meta: meta } = result ?? {}
    const { error } = await get(server, meta?.runId ?? '')
    expect(error).toMatchObject({ code: -32_602 })
  })
})
