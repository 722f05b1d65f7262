import { describe, expect, it } from 'vitest'
import { allEvents } from './support/read-events.ts'
import { sender } from './support/sender.ts'
import { PARROT, serveTeam } from './support/serve-team.ts'

const A2A_JSON = 'application/a2a+json'
const VERSION = { 'a2a-version': '1.0' }

interface RestCall {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request of version 1.0. */
function call(url: string, { method, body, headers = {} }: RestCall = {}): Promise<Response> {
  return fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...VERSION, ...(body === undefined ? {} : { 'content-type': A2A_JSON }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

function userMessage(text: string, more: Readonly<Record<string, unknown>> = {}): unknown {
  return { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }], ...more } }
}

interface TaskBody {
  readonly task: { readonly id: string; readonly status: { readonly state: string } }
}

async function taskOf(response: Response): Promise<TaskBody['task']> {
  return ((await response.json()) as TaskBody).task
}

describe('HTTP+JSON binding of A2A', () => {
  it('a client sends a message and gets the task in its media type', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const send = (headers: Readonly<Record<string, string>>) =>
      call(`${url}/a2a/Parrot/message:send`, { body: userMessage('Hi'), headers })
    const plain = await send({})
    expect([plain.status, plain.headers.get('content-type')]).toEqual([200, A2A_JSON])
    expect(await plain.json()).toMatchObject({
      task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'Hi' }] }] },
    })
    const json = await send({ 'content-type': 'application/json', accept: 'application/json' })
    expect([json.status, json.headers.get('content-type')]).toEqual([200, 'application/json'])
  })

  it('a stream has the task, its updates and a last update, each as a StreamResponse', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const response = await call(`${url}/a2a/Parrot/message:stream`, { body: userMessage('Hi') })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/u)
    const events = (await allEvents(response)).map(({ data }) => data as Readonly<Record<string, unknown>>)
    expect(events[0]).toHaveProperty('task.id')
    expect(events.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } })
    expect(events.every((event) => !('jsonrpc' in event))).toBe(true)
  })

  it('the version is read from the header or from the query; without one a request is of version 0.3 and rejected', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const list = (query: string, headers: Readonly<Record<string, string>>) =>
      fetch(`${url}/a2a/Parrot/tasks${query}`, { headers })
    expect((await list('?A2A-Version=1.0', {})).status).toBe(200)
    for (const response of [await list('', {}), await list('', { 'a2a-version': '9.9' })]) {
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({
        error: { code: 400, status: 'FAILED_PRECONDITION', details: [{ reason: 'VERSION_NOT_SUPPORTED' }] },
      })
    }
  })

  it('a list of tasks always has its page token, and artifacts only on request', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const empty = await call(`${url}/a2a/Parrot/tasks`)
    expect(await empty.json()).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 })
    await call(`${url}/a2a/Parrot/message:send`, { body: userMessage('Hi') })
    const list = async (query: string) => {
      const response = await call(`${url}/a2a/Parrot/tasks${query}`)
      return (await response.json()) as { readonly tasks: readonly Readonly<Record<string, unknown>>[] }
    }
    expect((await list('?includeArtifacts=false')).tasks[0]).not.toHaveProperty('artifacts')
    expect((await list('?includeArtifacts=true&pageSize=1')).tasks[0]).toHaveProperty('artifacts')
  })

  it('a path may begin with a tenant, and end with a slash', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    for (const path of ['acme/message:send', 'message:send/']) {
      const response = await call(`${url}/a2a/Parrot/${path}`, { body: userMessage('Hi') })
      expect(await taskOf(response)).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } })
    }
  })

  it.each([
    ['GET', '/tasks/none', undefined, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
    ['POST', '/tasks/none:cancel', undefined, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
    ['POST', '/tasks/none:subscribe', undefined, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
    ['POST', '/message:send', {}, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    ['POST', '/message:stream', {}, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    [
      'POST',
      '/message:send',
      { message: { messageId: 'm', role: 'ROLE_USER', parts: [null] } },
      400,
      'INVALID_ARGUMENT',
      'INVALID_PARAMS',
    ],
    ['POST', '/message:send', '{', 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    ['POST', '/message:send', '[]', 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    ['GET', '/tasks?pageSize=0', undefined, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    ['GET', '/tasks?pageSize=many', undefined, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    ['GET', '/tasks?page_size=1', undefined, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    ['GET', '/tasks?includeArtifacts=perhaps', undefined, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    ['GET', '/tasks?status=ASLEEP', undefined, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    ['GET', '/nothing', undefined, 404, 'NOT_FOUND', 'INVALID_PARAMS'],
    ['GET', '/a/b/tasks', undefined, 404, 'NOT_FOUND', 'INVALID_PARAMS'],
    ['GET', '/message:send', undefined, 405, 'UNIMPLEMENTED', 'INVALID_PARAMS'],
    ['PUT', '/message:send', {}, 405, 'UNIMPLEMENTED', 'INVALID_PARAMS'],
  ])(
    'an error has its status, code and reason: %s %s %j',
    async (method, path, body, code, status, reason) => {
      const { url, store } = await serveTeam({ cards: [PARROT] })
      const response = await call(`${url}/a2a/Parrot${path}`, { method, body })
      expect(await response.json()).toMatchObject({
        error: {
          code,
          status,
          message: expect.any(String),
          details: [
            { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' },
          ],
        },
      })
      expect(response.status).toBe(code)
      expect(await store.roots()).toEqual([])
    },
  )

  it('an unknown agent is an error of this binding', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const response = await call(`${url}/a2a/Nobody/tasks`)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      error: { code: 404, details: [{ metadata: { code: 'agent_unknown' } }] },
    })
  })

  it('a body or a file of another media type is not supported, over both bindings', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const notSupported = { details: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }] }
    const text = await call(`${url}/a2a/Parrot/message:send`, {
      body: userMessage('Hi'),
      headers: { 'content-type': 'text/plain' },
    })
    expect([text.status, await text.json()]).toMatchObject([415, { error: notSupported }])
    const file = { parts: [{ raw: 'dGNr', mediaType: 'application/x-unknown' }] }
    const rest = await call(`${url}/a2a/Parrot/message:send`, { body: userMessage('', file) })
    expect([rest.status, await rest.json()]).toMatchObject([400, { error: notSupported }])
    const rpc = await call(`${url}/a2a/Parrot`, {
      body: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: userMessage('', file) },
    })
    expect(await rpc.json()).toMatchObject({ error: { code: -32_005 } })
    const rpcText = await call(`${url}/a2a/Parrot`, { body: '{}', headers: { 'content-type': 'text/plain' } })
    expect([rpcText.status, await rpcText.json()]).toMatchObject([415, { error: { code: -32_005 } }])
  })

  it('a task that has ended cannot be cancelled or followed, and takes no message', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const { id } = await taskOf(await call(`${url}/a2a/Parrot/message:send`, { body: userMessage('Hi') }))
    const reasonOf = async (path: string, body: unknown = {}) => {
      const response = await call(`${url}/a2a/Parrot${path}`, { body })
      const { error } = (await response.json()) as {
        readonly error: { readonly details: readonly { readonly reason: string }[] }
      }
      return [response.status, error.details[0]?.reason]
    }
    expect(await reasonOf(`/tasks/${id}:cancel`)).toEqual([400, 'TASK_NOT_CANCELABLE'])
    expect(await reasonOf(`/tasks/${id}:subscribe`)).toEqual([400, 'UNSUPPORTED_OPERATION'])
    expect(await reasonOf('/message:send', userMessage('More', { taskId: id }))).toEqual([
      400,
      'UNSUPPORTED_OPERATION',
    ])
  })

  it.each(['GET', 'POST'])('a client follows a waiting task by %s until it ends', async (method) => {
    const { url } = await serveTeam(sender())
    const { id } = await taskOf(await call(`${url}/a2a/Sender/message:send`, { body: userMessage('Hi') }))
    const stream = await call(`${url}/a2a/Sender/tasks/${id}:subscribe`, { method })
    const events = allEvents(stream)
    await call(`${url}/a2a/Sender/message:send`, { body: userMessage('approve', { taskId: id }) })
    const received = (await events).map(({ data }) => data)
    expect(received[0]).toMatchObject({ task: { id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } } })
    expect(received.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } })
  })

  it('tasks are sorted by the time of their last change', async () => {
    const { url } = await serveTeam(sender())
    const send = async (text: string, more = {}) =>
      taskOf(await call(`${url}/a2a/Sender/message:send`, { body: userMessage(text, more) }))
    const [first, second] = [await send('One'), await send('Two')]
    const ids = async () => {
      const { tasks } = (await (await call(`${url}/a2a/Sender/tasks`)).json()) as {
        readonly tasks: readonly TaskBody['task'][]
      }
      return tasks.map(({ id }) => id)
    }
    expect(await ids()).toEqual([second.id, first.id])
    await send('approve', { taskId: first.id })
    expect(await ids()).toEqual([first.id, second.id])
  })
})
