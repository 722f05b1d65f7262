import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPushFile } from '../src/index.ts'
import {
  createBrowser,
  readVapid,
  startPushService,
  type BrowserKeys,
  type PushService,
} from './support/push-service.ts'
import { sender } from './support/sender.ts'
import { serveTeam, type ServedTeam, type TeamToServe } from './support/serve-team.ts'

const PUBLIC_URL = 'https://agents.example.com'
const TOKENS: NonNullable<TeamToServe['tokens']> = [
  { token: 'a-long-token-of-ada', principal: 'ada' },
  { token: 'a-long-token-of-bob', principal: 'bob' },
]

interface PushTeam {
  readonly team: ServedTeam
  readonly service: PushService
  /** Path of the file with keys and subscriptions. */
  readonly file: string
}

async function servePush(options: Partial<TeamToServe> = {}): Promise<PushTeam> {
  const project = await tempProject({})
  onTestFinished(() => project.remove())
  const service = await startPushService()
  const file = join(project.path, 'push.json')
  const push = { storage: createPushFile(file), fetch: service.fetch }
  const team = await serveTeam({ ...sender(), tokens: TOKENS, publicUrl: PUBLIC_URL, push, ...options })
  return { team, service, file }
}

function send(team: ServedTeam, path: string, body: object, as = 'ada', method = 'POST'): Promise<Response> {
  return fetch(`${team.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer a-long-token-of-${as}` },
    body: JSON.stringify(body),
  })
}

function subscribe(
  team: ServedTeam,
  { endpoint, keys }: BrowserKeys,
  as = 'ada',
  runs = false,
): Promise<Response> {
  return send(team, '/api/push/subscription', { endpoint, keys, runs }, as, 'PUT')
}

async function publicKeyOf({ url }: ServedTeam): Promise<unknown> {
  const headers = { authorization: 'Bearer a-long-token-of-ada' }
  const body = (await (await fetch(`${url}/api/push`, { headers })).json()) as { readonly publicKey?: string }
  return body.publicKey
}

describe('notifications to browsers', () => {
  it('an approval is sent to the browsers of its principal, encrypted and without arguments', async () => {
    const { team, service } = await servePush()
    const ada = createBrowser('ada')
    expect((await subscribe(team, ada)).status).toBe(200)
    expect((await subscribe(team, createBrowser('bob'), 'bob')).status).toBe(200)
    await send(team, '/api/runs', { q: 'Send' })
    await expect.poll(() => service.received.length).toBe(1)
    const [message] = service.received
    expect(message?.path).toBe('/send/ada')
    expect(message && ada.decrypt(message.body)).toEqual({
      kind: 'approval',
      agent: 'Sender',
      about: 'send',
      address: expect.stringMatching(/^#\/runs\/run_/u) as string,
    })
    const { ttl, topic, urgency, 'content-encoding': encoding, authorization = '' } = message?.headers ?? {}
    expect(Number(ttl)).toBeLessThanOrEqual(7 * 24 * 3600)
    expect({ urgency, encoding, topic }).toEqual({
      urgency: 'high',
      encoding: 'aes128gcm',
      topic: expect.stringMatching(/^[\w-]{32}$/u) as string,
    })
    const { claims, publicKey } = readVapid(authorization)
    expect(claims).toMatchObject({ aud: 'https://push.example.com', sub: PUBLIC_URL })
    expect(publicKey).toBe(await publicKeyOf(team))
  })

  it('the end of a run is sent only to browsers that asked for it', async () => {
    const { team, service } = await servePush({ ...sender(), limits: {} })
    const [both, approvals] = [createBrowser('both'), createBrowser('approvals')]
    await subscribe(team, both, 'ada', true)
    await subscribe(team, approvals)
    const { runId } = (await (await send(team, '/api/runs', { q: 'Send' })).json()) as {
      readonly runId: string
    }
    await expect.poll(() => service.received.length).toBe(2)
    await send(team, `/api/runs/${runId}/stop`, {})
    await expect.poll(() => service.received.length).toBe(3)
    expect(service.received[2]?.path).toBe('/send/both')
    expect(both.decrypt(service.received[2]?.body ?? Buffer.alloc(0))).toMatchObject({
      kind: 'end',
      about: 'cancelled',
    })
  })

  it.each([404, 410])('a subscription is removed after a response with status %i', async (status) => {
    const { team, service, file } = await servePush()
    await subscribe(team, createBrowser('gone'))
    service.status = status
    await send(team, '/api/runs', { q: 'Send' })
    await expect.poll(async () => readFile(file, 'utf8')).toContain('"subscriptions":[]')
    expect(service.received).toHaveLength(1)
    expect(team.errors).toEqual([])
  })

  it('another failure is reported without the path of the endpoint, and the subscription stays', async () => {
    const { team, service, file } = await servePush()
    await subscribe(team, createBrowser('secret-path'))
    service.status = 500
    await send(team, '/api/runs', { q: 'Send' })
    await expect.poll(() => team.errors.length).toBe(1)
    expect(String(team.errors[0])).toContain('https://push.example.com: it responded with status 500')
    expect(String(team.errors[0])).not.toContain('secret-path')
    expect(await readFile(file, 'utf8')).toContain('secret-path')
  })

  it('keys and subscriptions survive a restart, in a file that only this user can read', async () => {
    const { team, file } = await servePush()
    const key = await publicKeyOf(team)
    await subscribe(team, createBrowser('ada'))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const service = await startPushService()
    const push = { storage: createPushFile(file), fetch: service.fetch }
    const next = await serveTeam({ ...sender(), tokens: TOKENS, publicUrl: PUBLIC_URL, push })
    expect(await publicKeyOf(next)).toBe(key)
    await send(next, '/api/runs', { q: 'Send' })
    await expect.poll(() => service.received.length).toBe(1)
  })

  it.each([
    'http://push.example.com/a',
    'https://127.0.0.1/a',
    'https://[::1]/a',
    'https://169.254.169.254/latest',
    'https://user:secret@push.example.com/a',
    'file:///etc/passwd',
  ])('the endpoint %s is refused', async (endpoint) => {
    const { team, service } = await servePush()
    const response = await subscribe(team, { ...createBrowser('x'), endpoint })
    expect(response.status).toBe(400)
    expect(service.received).toEqual([])
  })

  it('no message is sent to a name that resolves to an address of this machine', async () => {
    const { team } = await servePush()
    await subscribe(team, { ...createBrowser('x'), endpoint: 'https://localhost/a' })
    await send(team, '/api/runs', { q: 'Send' })
    await expect.poll(() => team.errors.length).toBe(1)
    expect(String(team.errors[0])).toContain('A notification was not sent to https://localhost')
  })

  it('a principal has at most ten browsers, and only its own are removed', async () => {
    const { team, file } = await servePush()
    for (let index = 0; index < 12; index += 1) await subscribe(team, createBrowser(`b${index}`))
    const endpoints = async (): Promise<readonly string[]> => {
      const stored = JSON.parse(await readFile(file, 'utf8')) as {
        readonly subscriptions: readonly { readonly endpoint: string }[]
      }
      return stored.subscriptions.map(({ endpoint }) => endpoint.slice(endpoint.lastIndexOf('/') + 1))
    }
    expect(await endpoints()).toEqual(['b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8', 'b9', 'b10', 'b11'])
    const { endpoint } = createBrowser('b5')
    await send(team, '/api/push/unsubscribe', { endpoint }, 'bob')
    expect(await endpoints()).toContain('b5')
    await send(team, '/api/push/unsubscribe', { endpoint })
    expect(await endpoints()).not.toContain('b5')
  })

  it.each([undefined, 'http://agents.example.com'])(
    'notifications are off with the public address %s',
    async (publicUrl) => {
      const project = await tempProject({})
      onTestFinished(() => project.remove())
      const push = { storage: createPushFile(join(project.path, 'push.json')) }
      const team = await serveTeam({
        ...sender(),
        tokens: TOKENS,
        push,
        ...(publicUrl === undefined ? {} : { publicUrl }),
      })
      expect(await publicKeyOf(team)).toBeUndefined()
      expect((await subscribe(team, createBrowser('ada'))).status).toBe(400)
    },
  )
})
