import { TaskState, type TaskPushNotificationConfig } from '@a2a-js/sdk'
import type { Client } from '@a2a-js/sdk/client'
import { errorMessage } from '@troupe/schema'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readServerConfig } from '../src/index.ts'
import { A2A_CLIENTS, all, connect, message, request, send, words } from './support/a2a-client.ts'
import { receivePushes } from './support/push-receiver.ts'
import { sender } from './support/sender.ts'
import { PARROT, serveTeam } from './support/serve-team.ts'
import { slowAgent } from './support/slow-agent.ts'

const HOSTS = { a2a: { pushHosts: ['127.0.0.1'] } }
const SECRET = 'secret-of-the-receiver'

function config(url: string, more: Partial<TaskPushNotificationConfig> = {}): TaskPushNotificationConfig {
  return { tenant: '', id: 'mine', taskId: '', url, token: '', authentication: undefined, ...more }
}

/** Returns a request that configures push notifications. */
function requestWith(
  push: TaskPushNotificationConfig,
  { text = 'Hi', returnImmediately = false } = {},
): Parameters<Client['sendMessage']>[0] {
  const { configuration, ...rest } = request(message([words(text)]), { returnImmediately })
  if (configuration === undefined) throw new TypeError('The request has no configuration.')
  return { ...rest, configuration: { ...configuration, taskPushNotificationConfig: push } }
}

async function taskIdOf(client: Client, asked: Parameters<Client['sendMessage']>[0]): Promise<string> {
  const task = await client.sendMessage(asked)
  if (!('status' in task)) throw new TypeError('This is no task.')
  return task.id
}

describe.each(A2A_CLIENTS)('push notification configurations of A2A %s', (kind) => {
  it('a client creates, reads, lists and deletes configurations, whose secrets are not sent back', async () => {
    const client = await connect(kind, await serveTeam(sender()), { agent: 'Sender' })
    const { id: taskId } = await send(client, message([words('Hi')]))
    const authentication = { scheme: 'Bearer', credentials: SECRET }
    const wanted = config('https://hooks.example.com/a', { taskId, token: SECRET, authentication })
    const created = await client.createTaskPushNotificationConfig(wanted)
    expect(created).toMatchObject({
      id: 'mine',
      taskId,
      url: wanted.url,
      authentication: { scheme: 'Bearer' },
    })
    const read = await client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' })
    expect(read).toEqual(created)
    await client.createTaskPushNotificationConfig(
      config('https://hooks.example.com/b', { id: 'other', taskId }),
    )
    const list = async () => {
      const { configs } = await client.listTaskPushNotificationConfig({
        tenant: '',
        taskId,
        pageSize: 0,
        pageToken: '',
      })
      return configs
    }
    expect((await list()).map(({ id }) => id)).toEqual(['mine', 'other'])
    expect(JSON.stringify([created, read, await list()])).not.toContain(SECRET)
    for (const _ of [1, 2]) await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' })
    expect((await list()).map(({ id }) => id)).toEqual(['other'])
    await expect(client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' })).rejects.toThrow(
      /no push notification configuration/u,
    )
    await expect(
      client.createTaskPushNotificationConfig(config('https://a.example.com', { taskId: 'none' })),
    ).rejects.toThrow(/no task/u)
  })

  it('a receiver gets each new state and then the whole task, in the format of the version', async () => {
    const receiver = await receivePushes()
    const client = await connect(kind, await serveTeam({ ...sender(), ...HOSTS }), { agent: 'Sender' })
    const taskId = await taskIdOf(client, requestWith(config(receiver.url)))
    await send(client, message([words('approve')], { taskId }))
    const isLegacy = kind === '0.3'
    await receiver.until(({ json }) => 'task' in json || json['kind'] === 'task')
    const states = receiver.received.map(({ json }) => {
      const update = (isLegacy ? json : Object.values(json)[0]) as {
        readonly status: { readonly state: string }
      }
      return update.status.state
    })
    expect(states).toEqual(
      isLegacy
        ? ['working', 'input-required', 'working', 'completed']
        : ['WORKING', 'INPUT_REQUIRED', 'WORKING', 'COMPLETED'].map((state) => `TASK_STATE_${state}`),
    )
    const last = receiver.received.at(-1)
    expect(last?.headers['content-type']).toBe(isLegacy ? 'application/json' : 'application/a2a+json')
    expect(last?.json).toMatchObject(
      isLegacy
        ? { id: taskId, artifacts: [{ parts: [{ kind: 'text', text: 'Done.' }] }] }
        : { task: { id: taskId, artifacts: [{ parts: [{ text: 'Done.' }] }] } },
    )
  })
})

describe('push notifications of A2A', () => {
  it('a notification has the credentials of its configuration, and a signature of its body', async () => {
    const receiver = await receivePushes()
    const team = await serveTeam({ cards: [PARROT], ...HOSTS })
    const client = await connect('1.0', team, { agent: 'Parrot' })
    const authentication = { scheme: 'Bearer', credentials: SECRET }
    await taskIdOf(client, requestWith(config(receiver.url, { token: 'mine', authentication })))
    const { headers, body } = await receiver.until(({ json }) => 'task' in json)
    expect(headers).toMatchObject({ authorization: `Bearer ${SECRET}`, 'x-a2a-notification-token': 'mine' })
    const keys = createRemoteJWKSet(new URL(`${team.url}/.well-known/jwks.json`))
    const { payload, protectedHeader } = await jwtVerify(String(headers['troupe-signature']), keys, {
      issuer: `${team.url}/a2a/Parrot`,
      audience: new URL(receiver.url).origin,
      algorithms: ['ES256'],
      typ: 'JWT',
      maxTokenAge: 60,
      requiredClaims: ['iat', 'exp', 'jti'],
    })
    expect(protectedHeader.kid).toEqual(expect.any(String))
    expect(payload['request_body_sha256']).toBe(createHash('sha256').update(body).digest('hex'))
    const ids = receiver.received.map((push) => decodeJwt(String(push.headers['troupe-signature'])).jti)
    expect(new Set(ids).size).toBe(receiver.received.length)
  })

  it('the public keys need no token and contain no private key', async () => {
    const { url } = await serveTeam({ cards: [PARROT], tokens: [{ token: 'token-of-ada-0001' }] })
    const { keys } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as {
      readonly keys: readonly Readonly<Record<string, unknown>>[]
    }
    expect(keys).toHaveLength(1)
    expect(Object.keys(keys[0] ?? {}).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  })

  it('servers with the same signing key publish the same public key, and another key is an error', async () => {
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    const keysOf = async (signingKey?: string) => {
      const a2a = signingKey === undefined ? {} : { signingKey }
      const { url } = await serveTeam({ cards: [PARROT], a2a })
      return (await fetch(`${url}/.well-known/jwks.json`)).text()
    }
    expect(await keysOf(privateKey)).toBe(await keysOf(privateKey))
    expect(await keysOf()).not.toBe(await keysOf())
    const { privateKey: other } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    for (const wrong of [other, 'no key'])
      await expect(keysOf(wrong)).rejects.toThrow(/server\.a2a\.signingKey/u)
  })

  it.each([
    'http://127.0.0.1:9/hook',
    'https://127.0.0.1/hook',
    'https://2130706433/hook',
    'https://10.0.0.1/hook',
    'https://[::1]/hook',
    'https://[::ffff:169.254.169.254]/hook',
    'http://hooks.example.com/hook',
    'https://user:password@hooks.example.com/hook',
    'file:///etc/passwd',
    'hooks.example.com',
    '',
    `https://hooks.example.com/${'x'.repeat(3000)}`,
  ])('a URL that must not be called is rejected, and starts no run: %s', async (url) => {
    const team = await serveTeam({ cards: [PARROT] })
    const client = await connect('1.0', team, { agent: 'Parrot' })
    await expect(client.sendMessage(requestWith(config(url)))).rejects.toThrow(/^url: /u)
    expect(await team.store.roots()).toEqual([])
  })

  it.each([
    ['id', { id: 'a/b' }],
    ['id', { id: 'x'.repeat(201) }],
    ['token', { token: 'a\r\nx-evil: 1' }],
    ['authentication.scheme', { authentication: { scheme: 'Bearer x', credentials: 'a' } }],
    ['authentication.credentials', { authentication: { scheme: 'Bearer', credentials: 'a\nb' } }],
  ] as const)('a configuration with an unusable %s is rejected', async (field, more) => {
    const client = await connect('1.0', await serveTeam({ cards: [PARROT] }), { agent: 'Parrot' })
    await expect(client.sendMessage(requestWith(config('https://hooks.example.com/', more)))).rejects.toThrow(
      new RegExp(`^${field.replace('.', String.raw`\.`)}: `, 'u'),
    )
  })

  it('only listed hosts may be in the private network, with the listed port', async () => {
    const receiver = await receivePushes()
    const team = await serveTeam({
      cards: [PARROT],
      a2a: { pushHosts: [`127.0.0.1:${receiver.port}`, 'hooks.internal'] },
    })
    const client = await connect('1.0', team, { agent: 'Parrot' })
    await expect(client.sendMessage(requestWith(config('http://127.0.0.1:9/')))).rejects.toThrow(/^url: /u)
    await taskIdOf(client, requestWith(config(receiver.url)))
    await receiver.until(({ json }) => 'task' in json)
  })

  it('a name that resolves to a private address is not called, which is logged once and without secrets', async () => {
    const receiver = await receivePushes()
    const team = await serveTeam({ cards: [PARROT] })
    const client = await connect('1.0', team, { agent: 'Parrot' })
    const url = `https://localhost:${receiver.port}/hook?key=${SECRET}`
    const authentication = { scheme: 'Bearer', credentials: SECRET }
    const { status } = await send(client, message([words('Hi')]))
    expect(status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    await taskIdOf(client, requestWith(config(url, { token: SECRET, authentication })))
    await expect.poll(() => team.errors.length).toBe(1)
    await team.server.close()
    expect(team.errors).toHaveLength(1)
    const messages = team.errors.map(errorMessage).join('\n')
    expect(messages).toContain(`https://localhost:${receiver.port}`)
    expect(messages).not.toContain(SECRET)
    expect(receiver.received).toEqual([])
  })

  it('a task has at most 10 configurations, and the same id replaces one', async () => {
    const client = await connect('1.0', await serveTeam(sender()), { agent: 'Sender' })
    const { id: taskId } = await send(client, message([words('Hi')]))
    const create = (id: string) =>
      client.createTaskPushNotificationConfig(config('https://hooks.example.com/', { id, taskId }))
    for (let index = 0; index < 10; index += 1) await create(`c${index}`)
    await create('c0')
    await expect(create('c10')).rejects.toThrow(/at most|can have 10/u)
    const { id } = await client
      .deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'c0' })
      .then(() => create(''))
    expect(id).toMatch(/^push_/u)
  })

  it('a failed attempt is repeated with the same id, and any 2xx status ends the attempts', async () => {
    const receiver = await receivePushes((count) => (count === 1 ? 503 : 204))
    const client = await connect('1.0', await serveTeam({ ...sender(), ...HOSTS }), { agent: 'Sender' })
    await taskIdOf(client, requestWith(config(receiver.url)))
    await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(3)
    const ids = receiver.received.map(({ headers }) => decodeJwt(String(headers['troupe-signature'])).jti)
    expect(ids[0]).toBe(ids[1])
    expect(ids[1]).not.toBe(ids[2])
  })

  it('a redirect is neither followed nor repeated', async () => {
    const receiver = await receivePushes(() => 302)
    const team = await serveTeam({ cards: [PARROT], ...HOSTS })
    const client = await connect('1.0', team, { agent: 'Parrot' })
    await taskIdOf(client, requestWith(config(receiver.url)))
    await receiver.until(({ json }) => 'task' in json)
    expect(receiver.received.map(({ url }) => url)).toEqual(['/hook', '/hook'])
  })

  it('a receiver that does not respond delays neither the run nor the end of the server', async () => {
    const receiver = await receivePushes(() => undefined)
    const team = await serveTeam({ cards: [PARROT], ...HOSTS })
    const client = await connect('1.0', team, { agent: 'Parrot' })
    const events = await all(client.sendMessageStream(requestWith(config(receiver.url))))
    expect(events.at(-1)?.payload).toMatchObject({
      value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
    })
    await receiver.until(() => true)
    await team.server.close()
    expect(receiver.received).toHaveLength(1)
  })

  it('a task with push notifications continues when its client disconnects', async () => {
    const receiver = await receivePushes()
    const slow = slowAgent()
    const client = await connect('1.0', await serveTeam({ ...slow, ...HOSTS }), { agent: 'Slow' })
    const leave = new AbortController()
    const left = client.sendMessage(requestWith(config(receiver.url)), { signal: leave.signal })
    await slow.begun
    leave.abort()
    expect(await Promise.allSettled([left])).toMatchObject([{ status: 'rejected' }])
    slow.answer()
    const { json } = await receiver.until(({ json: update }) => 'task' in update)
    expect(json).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } })
  })

  it('a deleted configuration receives nothing more, and other principals cannot read or delete it', async () => {
    const receiver = await receivePushes()
    const tokens = [
      { token: 'token-of-ada-0001', principal: 'ada' },
      { token: 'token-of-ben-0001', principal: 'ben' },
    ]
    const team = await serveTeam({ ...sender(), ...HOSTS, tokens })
    const ada = await connect('1.0', team, { agent: 'Sender', token: 'token-of-ada-0001' })
    const ben = await connect('1.0', team, { agent: 'Sender', token: 'token-of-ben-0001' })
    const taskId = await taskIdOf(ada, requestWith(config(receiver.url)))
    const named = { tenant: '', taskId, id: 'mine' }
    await expect(ben.getTaskPushNotificationConfig(named)).rejects.toThrow(/no task/u)
    await expect(ben.deleteTaskPushNotificationConfig(named)).rejects.toThrow(/no task/u)
    await receiver.until(({ json }) => JSON.stringify(json).includes('INPUT_REQUIRED'))
    const before = receiver.received.length
    await ada.deleteTaskPushNotificationConfig(named)
    await send(ada, message([words('approve')], { taskId }))
    await team.server.close()
    expect(receiver.received).toHaveLength(before)
  })

  it('hosts are configured without a scheme or a path', () => {
    expect(readServerConfig({ a2a: { pushHosts: ['127.0.0.1:9000', 'hooks.internal', '[::1]'] } })).toEqual({
      a2a: { pushHosts: ['127.0.0.1:9000', 'hooks.internal', '[::1]'] },
    })
    for (const host of ['http://127.0.0.1', '127.0.0.1/hook', ''])
      expect(() => readServerConfig({ a2a: { pushHosts: [host] } })).toThrow(/server\.a2a\.pushHosts\.0/u)
  })
})
