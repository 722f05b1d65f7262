import { defineAgent } from '@troupe/schema'
import { startFakeOpenAI, type FakeAnswer } from '@troupe/testkit'
import { tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectMcp } from './support/connect-mcp.ts'
import { serveTeam, type ServedTeam } from './support/serve-team.ts'

const ADA = 'token-of-ada-0001'
const MODEL = 'gpt-private-7'
const SAID = 'Your organisation org-acme may not do this'
const KEY = 'providers.openai.apiKey'

const BOOM = defineAgent({
  name: 'Boom',
  description: 'Fails.',
  instruction: 'Fail.',
  model: `openai/${MODEL}`,
  limits: { maxRetries: 0 },
})
const BOSS = defineAgent({
  name: 'Boss',
  description: 'Asks Boom.',
  instruction: 'Ask.',
  model: `openai/${MODEL}-boss`,
  agents: ['Boom'],
})

interface PrivateTeam extends ServedTeam {
  readonly baseURL: string
  /** Returns the bodies that the provider received, as text. */
  requests(): string
}

/** Serves agents whose provider rejects the key of `Boom`, with texts that must not reach callers. */
async function servePrivate(refusal: FakeAnswer = { status: 401, message: SAID }): Promise<PrivateTeam> {
  const provider = await startFakeOpenAI({
    answers: ({ body }) => {
      const text = JSON.stringify(body)
      if (!text.includes(`"${MODEL}-boss"`)) return refusal
      return text.includes('"role":"tool"')
        ? { text: 'Boom failed.' }
        : { calls: [{ name: 'agent__Boom', args: { message: 'Hi' } }] }
    },
  })
  onTestFinished(() => provider.close())
  const project = await tempProject({
    'troupe.json': JSON.stringify({
      providers: { openai: { apiKey: 'sk-the-key-of-acme-1234', baseURL: provider.baseURL } },
    }),
  })
  onTestFinished(() => project.remove())
  const team = await serveTeam({
    cards: [BOOM, BOSS],
    tokens: [{ token: ADA, principal: 'ada' }, { token: 'token-of-the-operator' }],
    hostOptions: { config: `${project.path}/troupe.json` },
  })
  return {
    ...team,
    baseURL: provider.baseURL,
    requests: () => JSON.stringify(provider.requests.map(({ body }) => body)),
  }
}

/** Removes the fields with names of models, which callers may read. */
function withoutModelFields(text: string): string {
  return text.replaceAll(/"(?:model|unpriced)":(?:"[^"]*"|\[[^\]]*\])/gu, '')
}

function expectPrivate(text: string, { baseURL }: PrivateTeam): void {
  const shown = withoutModelFields(text)
  for (const secret of [KEY, MODEL, new URL(baseURL).host, SAID, 'org-acme'])
    expect(shown).not.toContain(secret)
}

async function send(
  { url }: PrivateTeam,
  path: string,
  {
    body,
    accept,
    token = ADA,
  }: { readonly body?: object; readonly accept?: string; readonly token?: string } = {},
): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'a2a-version': '1.0',
      ...(accept === undefined ? {} : { accept }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return `${response.status} ${await response.text()}`
}

const STREAM = 'text/event-stream'
const messages = [{ role: 'user', content: 'Hi' }]
const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'Hi' }] }
const rpc = (method: string): object => ({ jsonrpc: '2.0', id: 1, method, params: { message } })
const agui = { threadId: 't', runId: 'r', messages: [{ id: '1', ...messages[0] }] }
const ui = {
  id: 'c',
  agent: 'Boom',
  messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
}

const REFUSED = 'The provider refused the key.'

describe('private failures', () => {
  it.each([
    ['REST', '/v1/Boom?q=Hi', {}],
    ['REST as a report', '/v1/Boom?q=Hi', { accept: 'application/json' }],
    ['REST as a stream', '/v1/Boom', { body: { q: 'Hi' }, accept: STREAM }],
    ['OpenAI chat', '/openai/v1/chat/completions', { body: { model: 'Boom', messages } }],
    [
      'OpenAI chat as a stream',
      '/openai/v1/chat/completions',
      { body: { model: 'Boom', messages, stream: true } },
    ],
    ['OpenAI responses', '/openai/v1/responses', { body: { model: 'Boom', input: 'Hi' } }],
    [
      'OpenAI responses as a stream',
      '/openai/v1/responses',
      { body: { model: 'Boom', input: 'Hi', stream: true } },
    ],
    ['Anthropic', '/anthropic/v1/messages', { body: { model: 'Boom', max_tokens: 99, messages } }],
    [
      'Anthropic as a stream',
      '/anthropic/v1/messages',
      { body: { model: 'Boom', max_tokens: 99, messages, stream: true } },
    ],
    ['A2A', '/a2a/Boom', { body: rpc('SendMessage') }],
    ['A2A as a stream', '/a2a/Boom', { body: rpc('SendStreamingMessage'), accept: STREAM }],
    ['AG-UI', '/agui/Boom', { body: agui, accept: STREAM }],
    ['chat', '/api/chat', { body: ui }],
  ])(
    'a model failure reveals neither key location, model, URL nor provider text over %s',
    async (_name, path, request) => {
      const team = await servePrivate()
      const answer = await send(team, path, request)
      expect(answer).toContain(REFUSED)
      // AG-UI errors only have a message; its first event names the run
      expect(answer).toMatch(/troupe runs show run_|"runId":"run_/u)
      expectPrivate(answer, team)
      expect(team.errors.map(String).join('\n')).toMatch(new RegExp(`${MODEL}.*${SAID}.*${KEY}`, 'u'))
    },
  )

  it('a model failure reveals no operator data over MCP', async () => {
    const team = await servePrivate()
    const client = await connectMcp('modern', team, { token: ADA })
    const answer = JSON.stringify(await client.call({ input: 'Hi', format: 'text' }, 'Boom'))
    expect(answer).toContain(REFUSED)
    expectPrivate(answer, team)
  })

  it('a model failure reveals no operator data in run control: the run, its pages of events and its streams', async () => {
    const team = await servePrivate()
    const { runId } = JSON.parse(
      (await send(team, '/api/runs', { body: { agent: 'Boss', q: 'Hi' } })).slice(4),
    ) as {
      readonly runId: string
    }
    const live = await send(team, `/api/runs/${runId}/events`, { accept: STREAM })
    const again = await send(team, `/api/runs/${runId}/events`, { accept: STREAM })
    const page = await send(team, `/api/runs/${runId}/events`, { accept: 'application/json' })
    for (const text of [live, again, page]) {
      expect(text).toContain('"code":"model_auth"')
      expect(text).toContain(REFUSED)
      expectPrivate(text, team)
    }
    const failed = JSON.parse(
      (await send(team, '/api/runs', { body: { agent: 'Boom', q: 'Hi' } })).slice(4),
    ) as {
      readonly runId: string
    }
    await send(team, `/api/runs/${failed.runId}/events`, { accept: STREAM })
    const view = await send(team, `/api/runs/${failed.runId}`)
    expect(view).toContain(REFUSED)
    expectPrivate(view, team)
  })

  it('a model failure reveals no operator data in the events of a retry', async () => {
    const team = await servePrivate({ status: 503, message: SAID })
    const stream = await send(team, '/v1/Boss', { body: { q: 'Hi' }, accept: STREAM })
    expect(stream).toContain('"code":"model_overloaded"')
    expectPrivate(stream, team)
  })

  it('a model failure of a child run reaches the model of its parent without key location, model and provider text', async () => {
    const team = await servePrivate()
    const report = await team.host.run('Boss', 'Hi')
    expect(report.output.text).toBe('Boom failed.')
    const requests = withoutModelFields(team.requests())
    expect(requests).toContain(REFUSED)
    for (const secret of [KEY, MODEL, SAID]) expect(requests).not.toContain(secret)
  })

  it('the operator with a token of the principal local sees the whole failure', async () => {
    const team = await servePrivate()
    const answer = await send(team, '/v1/Boom?q=Hi', { token: 'token-of-the-operator' })
    for (const fact of [KEY, MODEL, SAID]) expect(answer).toContain(fact)
    const report = await team.host.run('Boom', 'Hi')
    expect(report.error?.message).not.toContain(KEY)
    expect(report.error?.remediation).toBe(`Check the API key: ${KEY} from the configuration.`)
    const events = await team.store.events(report.runId)
    expect(JSON.stringify(events)).toContain(SAID)
  })
})
