import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  type JsonRpcResponse,
} from '@modelcontextprotocol/ext-tasks/client'
import { defineAgent } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { deferred } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { describe, expect, it, onTestFinished } from 'vitest'
import { INFO } from './support/connect-mcp.ts'
import {
  CALL,
  CAPABILITIES,
  get,
  request,
  startTask,
  TASKS,
  untilStatus,
  VERSION,
  wiping,
} from './support/mcp-tasks.ts'
import { oneAgent } from './support/one-agent.ts'
import { PARROT, serveTeam } from './support/serve-team.ts'

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
