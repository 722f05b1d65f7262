import { TaskState } from '@a2a-js/sdk'
import { describe, expect, it } from 'vitest'
import { all, connect, message, request, send, words } from './support/a2a-client.ts'
import { sender } from './support/sender.ts'
import { PARROT, serveTeam } from './support/serve-team.ts'
import { slowAgent } from './support/slow-agent.ts'

const LIST = {
  tenant: '',
  contextId: '',
  status: TaskState.TASK_STATE_UNSPECIFIED,
  pageToken: '',
  statusTimestampAfter: undefined,
}

describe.each(['1.0', '1.0 over HTTP+JSON'] as const)('requirements of A2A %s', (kind) => {
  it('a list has only the tasks of its principal and agent', async () => {
    const tokens = [
      { token: 'token-of-ada-0001', principal: 'ada' },
      { token: 'token-of-ben-0001', principal: 'ben' },
    ]
    const team = await serveTeam({
      cards: [PARROT, ...sender().cards],
      models: sender().models ?? {},
      tokens,
    })
    const ada = await connect(kind, team, { agent: 'Parrot', token: 'token-of-ada-0001' })
    const { id } = await send(ada, message([words('Hi')]))
    expect((await ada.listTasks(LIST)).tasks.map((task) => task.id)).toEqual([id])
    const ben = await connect(kind, team, { agent: 'Parrot', token: 'token-of-ben-0001' })
    expect(await ben.listTasks(LIST)).toMatchObject({ tasks: [], totalSize: 0, nextPageToken: '' })
    const other = await connect(kind, team, { agent: 'Sender', token: 'token-of-ada-0001' })
    expect((await other.listTasks(LIST)).tasks).toEqual([])
    await expect(other.getTask({ tenant: '', id })).rejects.toThrow(/no task/u)
    await expect(ben.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toThrow(/no task/u)
  })

  it('a message to an unknown task, or with a context of another task, is rejected', async () => {
    const team = sender()
    const client = await connect(kind, await serveTeam(team), { agent: 'Sender' })
    await expect(send(client, message([words('Hi')], { taskId: 'none' }))).rejects.toThrow(/no task/u)
    const { id: taskId, contextId } = await send(client, message([words('Hi')]))
    await expect(send(client, message([words('approve')], { taskId, contextId: 'another' }))).rejects.toThrow(
      /contextId/u,
    )
    expect(team.sent).toEqual([])
    const done = await send(client, message([words('approve')], { taskId }))
    expect([done.id, done.contextId]).toEqual([taskId, contextId])
  })

  it('each task has a new id, and a context of its own or the one that the client names', async () => {
    const client = await connect(kind, await serveTeam({ cards: [PARROT] }), { agent: 'Parrot' })
    const [first, second] = [
      await send(client, message([words('a')])),
      await send(client, message([words('b')])),
    ]
    expect(new Set([first.id, second.id, '']).size).toBe(3)
    expect(new Set([first.contextId, second.contextId, '']).size).toBe(3)
    const named = await send(client, message([words('c')], { contextId: 'trip' }))
    expect(named.contextId).toBe('trip')
  })

  it('a message waits for the end of its task unless it asks to return immediately', async () => {
    const slow = slowAgent()
    const client = await connect(kind, await serveTeam(slow), { agent: 'Slow' })
    const early = await send(client, message([words('Hi')]), { returnImmediately: true })
    expect([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING]).toContain(early.status?.state)
    await slow.begun
    slow.answer()
    const waited = await send(client, message([words('Hi')]))
    expect(waited.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
  })

  it('a task has at most as many messages as requested, the last ones in their order', async () => {
    const client = await connect(kind, await serveTeam(sender()), { agent: 'Sender' })
    const { id: taskId } = await send(client, message([words('Hi')]))
    await send(client, message([words('perhaps')], { taskId }))
    await send(client, message([words('approve')], { taskId }))
    const textsOf = async (historyLength?: number) => {
      const wanted = historyLength === undefined ? {} : { historyLength }
      const { history } = await client.getTask({ tenant: '', id: taskId, ...wanted })
      return history.map(({ parts }) => parts[0]?.content?.value)
    }
    expect(await textsOf()).toEqual(['Hi', 'perhaps', 'approve'])
    expect(await textsOf(2)).toEqual(['perhaps', 'approve'])
    expect(await textsOf(0)).toEqual([])
    const { configuration, ...asked } = request(message([words('Hi')]))
    if (configuration === undefined) throw new TypeError('The request has no configuration.')
    const task = await client.sendMessage({ ...asked, configuration: { ...configuration, historyLength: 0 } })
    expect(task).toMatchObject({ history: [] })
  })

  it('closing one stream does not affect another stream of the same task', async () => {
    const client = await connect(kind, await serveTeam(sender()), { agent: 'Sender' })
    const { id } = await send(client, message([words('Hi')]))
    const [closed, open] = [1, 2].map(() => client.resubscribeTask({ tenant: '', id }))
    if (closed === undefined || open === undefined) throw new TypeError('There are two streams.')
    await Promise.all([closed.next(), open.next()])
    const rest = all(open)
    await closed.return(undefined)
    await send(client, message([words('deny')], { taskId: id }))
    expect((await rest).at(-1)?.payload).toMatchObject({
      value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
    })
  })
})

it('unknown extensions are ignored, and an empty version is version 0.3', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const call = (version: string, method: string, params: unknown) =>
    fetch(`${url}/a2a/Parrot`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'a2a-version': version,
        'a2a-extensions': 'https://example.com/ext/v1,https://example.com/ext/v2',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    }).then((response) => response.json())
  const parts = [{ text: 'Hi' }]
  expect(
    await call('1.0', 'SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts } }),
  ).toMatchObject({
    result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } },
  })
  const old = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'Hi' }] }
  expect(await call('', 'message/send', { message: old })).toMatchObject({
    result: { kind: 'task', status: { state: 'completed' } },
  })
})
