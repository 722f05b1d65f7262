import { TaskState } from '@a2a-js/sdk'
import { ClientFactory } from '@a2a-js/sdk/client'
import { defineAgent, failure, TroupeError } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import {
  A2A_CLIENTS,
  all,
  answerOf,
  connect,
  data,
  message,
  request,
  send,
  words,
} from './support/a2a-client.ts'
import { oneAgent } from './support/one-agent.ts'
import { sender } from './support/sender.ts'
import { leadAndClerk, PARROT, serveTeam } from './support/serve-team.ts'
import { slowAgent } from './support/slow-agent.ts'

describe.each(A2A_CLIENTS)('A2A %s', (kind) => {
  it('an A2A client sends a message and gets a task with the answer', async () => {
    const client = await connect(kind, await serveTeam(leadAndClerk()), { agent: 'Lead' })
    const task = await send(client, message([words('How many?')]))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(answerOf(task)).toEqual(['There are 3.'])
    expect(task.metadata).toMatchObject({ outcome: 'completed', usage: { modelCalls: 3 } })
    const again = await client.getTask({ tenant: '', id: task.id })
    expect(again.history.map(({ parts }) => parts[0]?.content?.value)).toEqual(['How many?'])
  })

  it('an A2A client streams a task, its updates and one final update', async () => {
    const client = await connect(kind, await serveTeam(leadAndClerk()), { agent: 'Lead' })
    const events = await all(client.sendMessageStream(request(message([words('How many?')]))))
    expect(events[0]?.payload?.$case).toBe('task')
    const pieces = events.flatMap(({ payload }) =>
      payload?.$case === 'artifactUpdate' ? [payload.value] : [],
    )
    expect(pieces.map(({ artifact }) => artifact?.parts[0]?.content?.value).join('')).toBe('There are 3.')
    expect(pieces.map(({ append, lastChunk }) => [append, lastChunk])).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ])
    const states = events.flatMap(({ payload }) =>
      payload?.$case === 'statusUpdate' ? [payload.value.status?.state] : [],
    )
    expect(states).toEqual([TaskState.TASK_STATE_WORKING, TaskState.TASK_STATE_COMPLETED])
  })

  it('a message continues a conversation by its contextId, which belongs to one principal', async () => {
    const tokens = [
      { token: 'token-of-ada-0001', principal: 'ada' },
      { token: 'token-of-ben-0001', principal: 'ben' },
    ]
    const team = await serveTeam({ ...oneAgent((said) => ({ text: String(said.length) })), tokens })
    const ada = await connect(kind, team, { agent: 'One', token: 'token-of-ada-0001' })
    const first = await send(ada, message([words('a')]))
    const { contextId } = first
    const second = await send(ada, message([words('b')], { contextId }))
    expect([first, second].map(answerOf)).toEqual([['2'], ['4']])
    const ben = await connect(kind, team, { agent: 'One', token: 'token-of-ben-0001' })
    expect(answerOf(await send(ben, message([words('c')], { contextId })))).toEqual(['2'])
    await expect(ben.getTask({ tenant: '', id: first.id })).rejects.toThrow(/no task/u)
  })

  it('a task waits for an approval and continues after the decision', async () => {
    const team = sender()
    const client = await connect(kind, await serveTeam(team), { agent: 'Sender' })
    const asking = await send(client, message([words('Hi')]))
    expect(asking.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
    const [said, asked] = asking.status?.message?.parts.map(({ content }) => content?.value as unknown) ?? []
    expect(said).toBe('Sender wants to call send. Answer approve or deny.')
    expect(asked).toMatchObject({ toolName: 'send', args: { to: 'Ada' }, approvalId: expect.any(String) })
    const { id: taskId } = asking
    for (const unclear of ['perhaps', 'yes, go ahead please', 'do not approve', '']) {
      const again = await send(client, message([words(unclear)], { taskId }))
      expect(again.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
      expect(again.status?.message?.parts.map(({ content }) => content?.value as unknown)).toEqual([
        'The answer is not clear, so nothing was approved or answered.',
        said,
        asked,
      ])
      expect(team.sent).toEqual([])
    }
    const other = data({ approvalId: 'another', decision: 'approved' })
    await expect(send(client, message([other], { taskId }))).rejects.toThrow(/not open/u)
    expect(team.sent).toEqual([])
    const done = await send(client, message([words('Approve.')], { taskId }))
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect([team.sent, answerOf(done)]).toEqual([['"Ada"'], ['Done.']])
    await expect(send(client, message([words('more')], { taskId }))).rejects.toThrow(/has ended/u)
  })

  it('a client follows a task that waits for an approval until it ends, and disconnecting cancels nothing', async () => {
    const team = sender()
    const client = await connect(kind, await serveTeam(team), { agent: 'Sender' })
    const { id } = await send(client, message([words('Hi')]))
    const gone = client.resubscribeTask({ tenant: '', id })
    expect((await gone.next()).value?.payload).toMatchObject({ $case: 'task', value: { id } })
    await gone.return(undefined)
    const streams = [1, 2].map(() => client.resubscribeTask({ tenant: '', id }))
    for (const stream of streams) expect((await stream.next()).value?.payload?.$case).toBe('task')
    const rest = streams.map(all)
    const done = await send(client, message([words('approve')], { taskId: id }))
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    const [first, second] = await Promise.all(rest)
    expect(first).toEqual(second)
    expect(first?.at(-1)?.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
    })
    expect(team.sent).toEqual(['"Ada"'])
  })

  it('a task continues after a decision that was made outside of its protocol', async () => {
    const team = sender()
    const served = await serveTeam(team)
    const client = await connect(kind, served, { agent: 'Sender' })
    const { id } = await send(client, message([words('Hi')]))
    const stream = client.resubscribeTask({ tenant: '', id })
    await stream.next()
    const rest = all(stream)
    const path = `${served.url}/api/runs/${id}/approvals/${encodeURIComponent(`${id}:1.1#1`)}`
    const body = JSON.stringify({ decision: 'approved' })
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(path, { method: 'POST', body, headers })).status).toBe(200)
    expect((await rest).at(-1)?.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
    })
    expect(team.sent).toEqual(['"Ada"'])
    await expect(send(client, message([words('deny')], { taskId: id }))).rejects.toThrow(/has ended/u)
  })

  it('a client denies a call by its id', async () => {
    const team = sender()
    const client = await connect(kind, await serveTeam(team), { agent: 'Sender' })
    const events = await all(client.sendMessageStream(request(message([words('Hi')]))))
    const last = events.at(-1)?.payload
    if (last?.$case !== 'statusUpdate') throw new TypeError('The task does not ask.')
    const asked = last.value.status?.message?.parts[1]?.content?.value as { readonly approvalId: string }
    const { taskId } = last.value
    const denial = data({ approvalId: asked.approvalId, decision: 'denied' })
    const done = await send(client, message([denial], { taskId }))
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(team.sent).toEqual([])
  })

  it('cancelling a task ends its stream', async () => {
    const slow = slowAgent()
    const client = await connect(kind, await serveTeam(slow), { agent: 'Slow' })
    const stream = client.sendMessageStream(request(message([words('Hi')])))
    const first = (await stream.next()).value?.payload
    if (first?.$case !== 'task') throw new TypeError('A stream begins with its task.')
    await slow.begun
    const rest = all(stream)
    const cancelled = await client.cancelTask({ tenant: '', id: first.value.id, metadata: undefined })
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
    const last = (await rest).at(-1)?.payload
    expect(last).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_CANCELED } } })
    await expect(client.cancelTask({ tenant: '', id: first.value.id, metadata: undefined })).rejects.toThrow(
      /has ended/u,
    )
  })

  it('a disconnect of the client cancels its task', async () => {
    const slow = slowAgent()
    const client = await connect(kind, await serveTeam(slow), { agent: 'Slow' })
    const leave = new AbortController()
    const left = Promise.allSettled([
      client.sendMessage(request(message([words('Hi')])), { signal: leave.signal }),
    ])
    await slow.begun
    leave.abort()
    await slow.stopped
    expect(await left).toMatchObject([{ status: 'rejected' }])
  })

  it('a detached task continues without its client, which subscribes to it later', async () => {
    const slow = slowAgent()
    const client = await connect(kind, await serveTeam(slow), { agent: 'Slow' })
    const { id } = await send(client, message([words('Hi')]), { returnImmediately: true })
    await slow.begun
    const stream = client.resubscribeTask({ tenant: '', id })
    expect((await stream.next()).value?.payload).toMatchObject({ $case: 'task', value: { id } })
    slow.answer()
    const last = (await all(stream)).at(-1)?.payload
    expect(last).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_COMPLETED } } })
    expect(answerOf(await client.getTask({ tenant: '', id }))).toEqual(['At last.'])
  })

  it('a client gets the reason why a run failed or could not start', async () => {
    const team = await serveTeam(
      oneAgent(() => ({ error: new TroupeError(failure('model_bad_request', 'No.')) })),
    )
    const client = await connect(kind, team, { agent: 'One' })
    const failed = await send(client, message([words('Hi')]))
    expect(failed.status?.state).toBe(TaskState.TASK_STATE_FAILED)
    expect(failed.status?.message?.parts[1]?.content?.value).toMatchObject({ code: 'model_bad_request' })
    await expect(send(client, message([]))).rejects.toThrow(/no text and no file/u)
    await expect(client.getTask({ tenant: '', id: 'none' })).rejects.toThrow(/no task/u)
  })
})

it('the client of the SDK needs only the address of an agent, with a slash at its end', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const client = await new ClientFactory().createFromUrl(`${url}/a2a/Parrot/`, '.well-known/agent-card.json')
  expect(answerOf(await send(client, message([words('Hi')])))).toEqual(['Hi'])
})

describe('agent card', () => {
  const guide = defineAgent({
    name: 'Guide',
    description: 'Guides.',
    instruction: 'Guide.',
    usage: 'Where to?',
    version: '2.1.0',
    model: 'passthrough',
    exports: { skills: [{ id: 'walk', name: 'Walk', description: 'Plans a walk.', tags: ['city'] }] },
  })

  it(`an agent card lists the skills of the agent, or the agent itself as one skill ${verifies('D1')}`, async () => {
    const { url } = await serveTeam({ cards: [guide, PARROT] })
    const read = (path: string) =>
      fetch(`${url}${path}/.well-known/agent-card.json`, { headers: { 'a2a-version': '1.0' } }).then(
        (response) => response.json() as Promise<Readonly<Record<string, unknown>>>,
      )
    expect(await read('')).toMatchObject({
      name: 'Guide',
      version: '2.1.0',
      supportedInterfaces: [
        { url: `${url}/a2a/Guide`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: `${url}/a2a/Guide`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url: `${url}/a2a/Guide`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      capabilities: { streaming: true },
      skills: [{ id: 'walk', name: 'Walk', description: 'Plans a walk.', tags: ['city'] }],
    })
    expect(await read('/a2a/Parrot')).toMatchObject({ skills: [{ id: 'Parrot', description: 'Repeats.' }] })
  })

  it('clients of both A2A versions read the agent card if they request no version', async () => {
    const { url } = await serveTeam({ cards: [guide] })
    const card = await fetch(`${url}/.well-known/agent-card.json`).then((response) => response.json())
    expect(card).toMatchObject({
      url: `${url}/a2a/Guide`,
      preferredTransport: 'JSONRPC',
      protocolVersion: '0.3',
      supportedInterfaces: [
        { protocolVersion: '1.0' },
        { protocolVersion: '1.0', protocolBinding: 'HTTP+JSON' },
        { protocolVersion: '0.3' },
      ],
    })
  })
})

it('an invalid request gets a JSON-RPC error', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const post = async (path: string, body: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${url}/a2a/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
      body,
    })
    return [response.status, await response.json()] as const
  }
  const call = (method: string) => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: {} })
  expect(await post('Nobody', '{}')).toMatchObject([
    404,
    { error: { data: [{ metadata: { code: 'agent_unknown' } }] } },
  ])
  expect(await post('Parrot', '{')).toMatchObject([400, { error: { code: -32_700 } }])
  expect(await post('Parrot', '[]')).toMatchObject([400, { error: { code: -32_600 } }])
  for (const [body, id] of [
    ['{"id":7,"method":"GetTask","params":{"id":"x"}}', 7],
    ['{"jsonrpc":"1.0","id":7,"method":"GetTask","params":{"id":"x"}}', 7],
    ['{"jsonrpc":"2.0","id":7}', 7],
    ['{"jsonrpc":"2.0","id":7,"method":7}', 7],
    ['{"jsonrpc":"2.0","id":{},"method":"GetTask","params":{"id":"x"}}', null],
  ] as const)
    expect(await post('Parrot', body)).toMatchObject([200, { jsonrpc: '2.0', id, error: { code: -32_600 } }])
  expect(await post('Parrot', call('Fly'))).toMatchObject([200, { id: 7, error: { code: -32_601 } }])
  expect(await post('Parrot', call('SendMessage'))).toMatchObject([200, { id: 7, error: { code: -32_602 } }])
  expect(await post('Parrot', call('SendMessage'), { 'a2a-version': '9.9' })).toMatchObject([
    200,
    { id: 7, error: { code: -32_009 } },
  ])
})

it('a request rejected before the A2A handler gets an error in the format of its binding', async () => {
  const tokens = [{ token: 'token-of-ada-0001', principal: 'ada' }]
  const { url } = await serveTeam({ cards: [PARROT], tokens, limits: { maxBodyBytes: 1000 } })
  const post = async (path: string, token: string, body = '{}') => {
    const headers = { 'content-type': 'application/json', 'x-api-key': token }
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body })
    return [response.status, await response.json()] as const
  }
  const told = (code: string) => ({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_600, data: [{ metadata: { code } }] },
  })
  expect(await post('/a2a/Parrot', 'token-of-eve-0001')).toMatchObject([401, told('token_required')])
  const toldRest = (code: number, status: string, reason: string) => [
    code,
    { error: { code, status, details: [{ metadata: { code: reason } }] } },
  ]
  expect(await post('/a2a/Parrot/message', 'token-of-ada-0001')).toMatchObject(
    toldRest(404, 'NOT_FOUND', 'route_unknown'),
  )
  expect(await post('/a2a/Parrot/message:send', 'token-of-eve-0001')).toMatchObject(
    toldRest(401, 'UNAUTHENTICATED', 'token_required'),
  )
  const large = JSON.stringify({ text: 'x'.repeat(2000) })
  expect(await post('/a2a/Parrot', 'token-of-ada-0001', large)).toMatchObject([
    413,
    told('request_too_large'),
  ])
})

it.each([
  ['SendMessage', { message: { role: 'ROLE_USER', parts: [{ text: 'Hi' }] } }],
  ['SendMessage', { message: { messageId: '1', parts: [{ text: 'Hi' }] } }],
  ['SendMessage', { message: { messageId: '1', role: 'KING', parts: [{ text: 'Hi' }] } }],
  ['SendMessage', { message: { messageId: '1', role: 'ROLE_USER', parts: [null] } }],
  ['GetTask', {}],
  ['ListTasks', { pageSize: 0 }],
  ['ListTasks', { pageSize: 101 }],
  ['ListTasks', { pageSize: 1.5 }],
  ['ListTasks', { pageToken: 'none' }],
  ['ListTasks', { status: 'ASLEEP' }],
  ['ListTasks', { statusTimestampAfter: 'yesterday' }],
])('invalid parameters are rejected: %s %j', async (method, params) => {
  const { url, store } = await serveTeam({ cards: [PARROT] })
  const response = await fetch(`${url}/a2a/Parrot`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  })
  expect(await response.json()).toMatchObject({ id: 7, error: { code: -32_602 } })
  expect(await store.roots()).toEqual([])
})

it.each([
  ['1.0', 'GetExtendedAgentCard'],
  ['0.3', 'agent/getAuthenticatedExtendedCard'],
])('there is no extended agent card, as the agent card says (%s)', async (version, method) => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const response = await fetch(`${url}/a2a/Parrot`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': version },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: {} }),
  })
  expect(await response.json()).toMatchObject({ id: 7, error: { code: -32_004 } })
})

it('a stream starts with as much history as the client requests', async () => {
  const client = await connect('1.0', await serveTeam({ cards: [PARROT] }), { agent: 'Parrot' })
  const first = async (historyLength?: number) => {
    const { configuration, ...asked } = request(message([words('Hi')]))
    const more = historyLength === undefined ? {} : { historyLength }
    const wanted = { ...asked, configuration: { ...configuration, ...more } as typeof configuration }
    const [event] = await all(client.sendMessageStream(wanted))
    return event?.payload?.$case === 'task' ? event.payload.value.history.length : undefined
  }
  expect(await first()).toBe(1)
  expect(await first(0)).toBe(0)
})

it('a client lists its own tasks page by page, newest first', async () => {
  const client = await connect('1.0', await serveTeam({ cards: [PARROT] }), { agent: 'Parrot' })
  const ids: string[] = []
  for (const text of ['a', 'b', 'c']) ids.unshift((await send(client, message([words(text)]))).id)
  const list = (pageSize: number, pageToken = '') =>
    client.listTasks({
      tenant: '',
      contextId: '',
      status: TaskState.TASK_STATE_COMPLETED,
      pageSize,
      pageToken,
      statusTimestampAfter: undefined,
    })
  const first = await list(2)
  expect(first).toMatchObject({ totalSize: 3, pageSize: 2 })
  const second = await list(2, first.nextPageToken)
  expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual(ids)
  expect(second.nextPageToken).toBe('')
})

it('a server that shuts down does not wait for tasks that need an answer', async () => {
  const { server, ...team } = await serveTeam(sender())
  const client = await connect('1.0', team, { agent: 'Sender' })
  const { status } = await send(client, message([words('Hi')]))
  expect(status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
  await server.close()
})
