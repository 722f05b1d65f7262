import { createHmac, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { defineAgent } from '@troupe/schema'
import { createMemoryStore, openSqliteStore } from '@troupe/store'
import { tempProject } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PARROT, serveTeam, type ServedTeam, type TeamToServe } from './support/serve-team.ts'

const SECRET = 'a-secret-of-the-webhook'
const BODY = JSON.stringify({ repository: { name: 'troupe' }, commits: [{ id: 'c0ffee' }], count: 2 })
const HOOK = {
  name: 'push',
  agent: 'Parrot',
  secret: SECRET,
  input: 'Review {commits.0.id} of {repository.name}',
}
const JSON_TYPE = { 'content-type': 'application/json' }

async function serve(options: Partial<TeamToServe> = {}): Promise<ServedTeam> {
  return serveTeam({ cards: [PARROT], hooks: [HOOK], ...options })
}

function github(body: string, secret = SECRET): Readonly<Record<string, string>> {
  return {
    ...JSON_TYPE,
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
}

/** Returns the headers of Standard Webhooks. */
function standard(
  body: string,
  {
    id = randomUUID(),
    sentAt = Date.now(),
    key = SECRET,
  }: { readonly id?: string; readonly sentAt?: number; readonly key?: string | Buffer } = {},
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(sentAt / 1000))
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    ...JSON_TYPE,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1a,ignored v1,${signature}`,
  }
}

interface Answer {
  readonly status: number
  readonly body: {
    readonly runId?: string
    readonly error?: { readonly code: string; readonly message: string }
  }
}

async function deliver(
  { url }: Pick<ServedTeam, 'url'>,
  headers: Readonly<Record<string, string>>,
  body = BODY,
  name = 'push',
): Promise<Answer> {
  const response = await fetch(`${url}/hooks/${name}`, { method: 'POST', headers, body })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

async function inputs({ store }: Pick<ServedTeam, 'store'>): Promise<readonly unknown[]> {
  const roots = await store.roots()
  return Promise.all(
    roots.map(async ({ rootRunId: id }) => {
      const [first] = await store.events(id, { limit: 1 })
      return first?.type === 'run-start' ? first.input : undefined
    }),
  )
}

describe('POST /hooks/:name', () => {
  it('a delivery with a signature of GitHub starts a run with an input made from the body', async () => {
    const team = await serve()
    const { status, body } = await deliver(team, github(BODY))
    expect(status).toBe(202)
    expect(await inputs(team)).toEqual(['Review c0ffee of troupe'])
    const { runId = '' } = body
    expect((await team.store.steps(runId, runId)).get('begin')).toMatchObject({
      principal: 'local',
      note: { detached: true, hook: { name: 'push' } },
    })
  })

  it('a run of a webhook has the priority of the webhook', async () => {
    const team = await serve({ hooks: [{ ...HOOK, priority: 500 }] })
    const { runId = '' } = (await deliver(team, github(BODY))).body
    expect((await team.store.steps(runId, runId)).get('queued')).toMatchObject({ priority: 500 })
  })

  it('a delivery of Standard Webhooks starts a run, also with a key in base64', async () => {
    const team = await serve()
    expect((await deliver(team, standard(BODY))).status).toBe(202)
    const key = Buffer.from('another-secret-of-a-webhook')
    const encoded = await serve({ hooks: [{ ...HOOK, secret: `whsec_${key.toString('base64')}` }] })
    expect((await deliver(encoded, standard(BODY, { key }))).status).toBe(202)
  })

  it('a delivery needs no token, and a token does not replace its signature', async () => {
    const team = await serve({ tokens: [{ token: 'token-of-ada-12345', principal: 'ada' }] })
    expect((await deliver(team, github(BODY))).status).toBe(202)
    const bearer = { ...JSON_TYPE, authorization: 'Bearer token-of-ada-12345' }
    expect(await deliver(team, bearer)).toMatchObject({
      status: 401,
      body: { error: { code: 'signature_invalid' } },
    })
    expect((await fetch(`${team.url}/api/runs`)).status).toBe(401)
  })

  it.each([
    ['another secret', () => github(BODY, 'not-the-secret-of-it')],
    ['another body', () => github(`${BODY} `)],
    ['half a signature', () => ({ ...JSON_TYPE, 'x-hub-signature-256': 'sha256=00ff' })],
    ['another hash', () => ({ ...JSON_TYPE, 'x-hub-signature-256': `sha1=${'0'.repeat(40)}` })],
    ['no signature', () => JSON_TYPE],
    ['another key of Standard Webhooks', () => standard(BODY, { key: 'not-the-secret-of-it' })],
    ['another id than the signed one', () => ({ ...standard(BODY), 'webhook-id': 'msg_other' })],
    ['another time than the signed one', () => ({ ...standard(BODY), 'webhook-timestamp': '1' })],
    ['no id', () => ({ ...standard(BODY), 'webhook-id': '' })],
    ['a signature that is sent too late', () => standard(BODY, { sentAt: Date.now() - 301_000 })],
    ['a signature from the future', () => standard(BODY, { sentAt: Date.now() + 302_000 })],
    [
      'a wrong signature of Standard Webhooks beside a right one of GitHub',
      () => ({
        ...github(BODY),
        'webhook-id': 'a',
        'webhook-timestamp': '1',
        'webhook-signature': 'v1,AAAA',
      }),
    ],
  ])('a delivery with %s is refused and starts nothing', async (_, headersOf) => {
    const team = await serve()
    // made here, because they contain the time
    expect(await deliver(team, headersOf())).toMatchObject({
      status: 401,
      body: { error: { code: 'signature_invalid' } },
    })
    expect(await team.store.roots()).toEqual([])
  })

  it('a repeated delivery returns the run of the first one, also at once and after a restart', async () => {
    const store = createMemoryStore({ clock: SYSTEM_CLOCK })
    const team = await serve({ store })
    const headers = standard(BODY, { id: 'msg_1' })
    const [first, second] = await Promise.all([deliver(team, headers), deliver(team, headers)])
    expect(first).toEqual(second)
    const restarted = await serve({ store })
    expect(await deliver(restarted, standard(BODY, { id: 'msg_1' }))).toEqual(first)
    expect(await inputs(team)).toHaveLength(1)
    expect((await deliver(restarted, standard(BODY, { id: 'msg_2' }))).body.runId).not.toBe(first?.body.runId)
  })

  it('a delivery that two servers of one store receive at once starts one run', async () => {
    const project = await tempProject({})
    onTestFinished(() => project.remove())
    const path = join(project.path, 'runs.db')
    const open = async (token: string): Promise<ServedTeam> => {
      const writer = { token, pid: process.pid, host: token, isAlive: () => true }
      const store = await openSqliteStore({ path, clock: SYSTEM_CLOCK, random: Math.random, writer })
      return serve({ store })
    }
    const [one, two] = [await open('one'), await open('two')]
    const headers = standard(BODY, { id: 'msg_1' })
    const answers = await Promise.all([one, two, one, two].map((team) => deliver(team, headers)))
    // the server that does not get the lease of the run asks the sender to try again
    for (const { status } of answers) expect([202, 409]).toContain(status)
    const accepted = answers.filter(({ status }) => status === 202).map(({ body }) => body.runId)
    expect(new Set(accepted).size).toBe(1)
    expect(await inputs(one)).toHaveLength(1)
    expect((await deliver(two, headers)).body.runId).toBe(accepted[0])
  })

  it('a delivery of GitHub is known by its body, because its id is not signed', async () => {
    const team = await serve()
    const first = await deliver(team, { ...github(BODY), 'x-github-delivery': 'a' })
    expect(await deliver(team, { ...github(BODY), 'x-github-delivery': 'b' })).toEqual(first)
    expect(await inputs(team)).toHaveLength(1)
  })

  it('the first response is not replayed by its Idempotency-Key to a request with a wrong signature', async () => {
    const team = await serve()
    const key = { 'idempotency-key': 'one' }
    expect((await deliver(team, { ...github(BODY), ...key })).status).toBe(202)
    expect((await deliver(team, { ...github(BODY, 'not-the-secret-of-it'), ...key })).status).toBe(401)
  })

  it('a delivery that is too large is refused before its signature is checked', async () => {
    const team = await serve({ limits: { maxBodyBytes: 1000 } })
    const large = JSON.stringify({ text: 'x'.repeat(2000) })
    expect((await deliver(team, github(large), large)).status).toBe(413)
  })

  it('deliveries count against the rate limit by address', async () => {
    const team = await serve({
      limits: { requestsPerMinute: 2 },
      tokens: [{ token: 'token-of-ada-12345', principal: 'ada' }],
    })
    const statuses: number[] = []
    for (let index = 0; index < 3; index += 1) statuses.push((await deliver(team, github(BODY, 'x'))).status)
    expect(statuses).toEqual([401, 401, 429])
  })

  it('a signed body that lacks a value, or is not a JSON object, is an error and starts nothing', async () => {
    const team = await serve()
    const send = (body: string, headers = github(body)): Promise<Answer> => deliver(team, headers, body)
    expect(await send('{"repository": {}}')).toMatchObject({
      status: 400,
      body: {
        error: { message: 'The body does not fit the webhook: there is no value for {commits.0.id}.' },
      },
    })
    expect((await send('[1]')).status).toBe(400)
    expect((await send('{"a": 1')).status).toBe(400)
    expect((await send('{"a": 1, "a": 2}')).status).toBe(400)
    expect(
      (await send('a=1', { ...github('a=1'), 'content-type': 'application/x-www-form-urlencoded' })).status,
    ).toBe(415)
    expect(await team.store.roots()).toEqual([])
    expect((await deliver(team, github(BODY), BODY, 'pull')).status).toBe(404)
    expect((await fetch(`${team.url}/hooks/push`)).status).toBe(405)
  })

  it('a text in the body is inserted as it is, and cannot name further values', async () => {
    const team = await serve()
    const body = JSON.stringify({
      commits: [{ id: '{repository.name} {{x}} ${SECRET}' }],
      repository: { name: 'n' },
    })
    expect((await deliver(team, github(body), body)).status).toBe(202)
    expect(await inputs(team)).toEqual(['Review {repository.name} {{x}} ${SECRET} of n'])
  })

  it('an input object keeps the types of the values', async () => {
    const counter = defineAgent({
      name: 'Counter',
      description: 'd',
      instruction: 'i',
      model: 'passthrough',
      input: {
        schema: {
          type: 'object',
          properties: { count: { type: 'integer' }, where: { type: 'string' } },
          required: ['count', 'where'],
        },
      },
    })
    const hook = { ...HOOK, agent: 'Counter', input: { count: '{count}', where: 'in {repository.name}' } }
    const team = await serve({ cards: [counter], hooks: [hook] })
    expect((await deliver(team, github(BODY))).status).toBe(202)
    expect(JSON.stringify(await inputs(team))).toContain('in troupe')
    const bad = await deliver(
      team,
      github('{"count": "x", "repository": {"name": "n"}}'),
      '{"count": "x", "repository": {"name": "n"}}',
    )
    expect(bad).toMatchObject({ status: 400, body: { error: { code: 'input_invalid' } } })
  })

  it('a secret that is too short prevents the start', async () => {
    await expect(serve({ hooks: [{ ...HOOK, secret: 'short' }] })).rejects.toMatchObject({
      code: 'config_invalid',
    })
  })

  it('a server without webhooks serves none', async () => {
    const team = await serve({ without: ['hooks'] })
    expect((await deliver(team, github(BODY))).status).toBe(404)
  })
})
