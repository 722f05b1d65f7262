import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startFakeOpenAI, type FakeAnswer, type FakeProvider, type RecordedRequest } from '@troupe/testkit'
import { faultMcpStdio, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { project, troupeIn } from './team.ts'

const KEY = 'sk-house-0123456789'

interface ChatMessage {
  readonly role: string
  readonly content?: string | null
  readonly tool_calls?: readonly unknown[]
}

interface ChatBody {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: unknown } }[]
  readonly temperature?: number
  readonly max_tokens?: number
  readonly response_format?: { readonly type: string }
}

/** A request to the fake provider, by the agent that sent it. */
interface Sent {
  readonly agent: string
  readonly body: ChatBody
  readonly headers: RecordedRequest['headers']
}

/** Answers by agent, or by agent and model: the first without tool results, the next after them. */
type Answers = Readonly<Record<string, readonly FakeAnswer[]>>

/** Returns the agent whose prompt starts with its name in capitals. */
function agentOf({ messages }: ChatBody): string {
  const { content } = messages.find(({ role }) => role === 'system') ?? {}
  return /^[A-Z]+(?=:)/u.exec(content ?? '')?.[0].toLowerCase() ?? 'unknown'
}

async function startProvider(answers: Answers): Promise<{ readonly provider: FakeProvider; sent(): Sent[] }> {
  const provider = await startFakeOpenAI({
    apiKey: KEY,
    answers: ({ body }) => {
      const chat = body as ChatBody
      const turn = chat.messages.filter(({ role }) => role === 'assistant').length
      const agent = agentOf(chat)
      const own = answers[`${agent}/${chat.model}`] ?? answers[agent]
      return own?.[turn] ?? { status: 400, message: `no answer of ${agent}` }
    },
  })
  onTestFinished(() => provider.close())
  const toSent = ({ body, headers }: RecordedRequest): Sent => {
    return { agent: agentOf(body as ChatBody), body: body as ChatBody, headers }
  }
  return { provider, sent: () => provider.requests.map(toSent) }
}

/** Starts a service on 127.0.0.1 that knows one order. */
async function startShop(): Promise<{ readonly url: string; readonly requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    response.end('order 7 is in drawer four')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** An office written after the documentation of ai-agent. */
function office(provider: string, shop: string): Readonly<Record<string, string>> {
  return {
    '.ai-agent.json': JSON.stringify({
      providers: {
        house: {
          type: 'openai-compatible',
          baseUrl: provider,
          apiKey: '${HOUSE_KEY}',
          headers: { 'x-team': 'office' },
          models: { large: { contextWindow: 100_000, overrides: { temperature: null } } },
        },
        spare: { type: 'anthropic', apiKey: '${NOT_SET}' },
      },
      mcpServers: {
        notes: {
          type: 'stdio',
          ...faultMcpStdio(),
          toolsAllowed: ['SAY', 'Crash', 'status'],
          toolsDenied: ['CRASH'],
          queue: 'slow',
        },
        unused: { type: 'websocket', url: 'ws://127.0.0.1:9' },
      },
      queues: { slow: { concurrent: 1 } },
      openapiSpecs: {
        shop: {
          spec: './shop.yaml',
          baseUrl: `${shop}/v1`,
          headers: { authorization: 'Bearer ${SHOP_KEY}' },
          includeMethods: ['get'],
        },
      },
      defaults: { maxTurns: 6, temperature: 0.3, maxOutputTokens: 900 },
    }),
    '.ai-agent.env': `HOUSE_KEY=${KEY}\nSHOP_KEY=shop-key-0123456789\n`,
    'shop.yaml': `openapi: 3.0.3
paths:
  /orders/{number}:
    get:
      operationId: findOrder
      summary: Finds an order.
      parameters:
        - { name: number, in: path, required: true, schema: { type: string } }
        - { name: with, in: query, schema: { type: array, items: { type: string } } }
    delete: { operationId: dropOrder }
`,
    'office/front.ai': `#!/usr/bin/env ai-agent
---
description: Sends customers to the right clerk.
usage: A question of a customer.
models: [house/large, house/small]
advisors: [advisors/risk.ai]
router: { destinations: [clerk.ai, sales.ai] }
---
FRONT: choose a clerk.
{% render "parts/rules.md" %}
`,
    'office/advisors/risk.ai': `---
description: Names risks.
models: house/small
---
RISK: name risks. {% include "../parts/words.md" %}
`,
    'office/clerk.ai': `---
description: Finds orders.
models: house/large
tools: [notes, openapi:shop, batch]
agents: [look-up.ai]
reasoning: none
output:
  format: json
  schema: { type: object, properties: { place: { type: string } }, required: [place] }
---
CLERK: find it.
{% render "parts/rules.md" %}
Answer in \${FORMAT}, in at most \${MAX_TURNS} turns.
`,
    'office/sales.ai': '---\ndescription: Sells.\nmodels: house/small\n---\nSALES: sell.\n',
    'office/look-up.ai': `---
description: Looks in a drawer.
toolName: drawer
models: house/small
input: { type: object, properties: { drawer: { type: integer } }, required: [drawer] }
---
LOOKUP: look.
`,
    'office/parts/rules.md': 'Be kind. {% render "words.md" %}',
    'office/parts/words.md': 'Use short words.',
  }
}

const CLERK: readonly FakeAnswer[] = [
  {
    calls: [
      { name: 'notes__say', args: { text: 'hello' } },
      { name: 'rest__shop_findOrder', args: { number: '7/8', with: ['place', 'date'] } },
      { name: 'agent__drawer', args: { drawer: 4 } },
    ],
  },
  { text: '{"place":"drawer four"}' },
]

function lastOf({ body }: Sent, role: string): string {
  return body.messages.findLast((message) => message.role === role)?.content ?? ''
}

describe('a project folder of ai-agent', () => {
  it(`an agent of ai-agent uses its server, its OpenAPI document and its sub-agent, and answers with its schema ${verifies('R4')}`, async () => {
    const { provider, sent } = await startProvider({ clerk: CLERK, lookup: [{ text: 'yes, order 7' }] })
    const shop = await startShop()
    const { path } = await project(office(provider.baseURL, shop.url))
    const program = await troupeIn(path, ['run', 'office/clerk.ai', 'Where is order 7?', '--quiet'])
    expect(program.code).toBe(0)
    expect(JSON.parse(program.out)).toEqual({ place: 'drawer four' })
    expect(program.err).toBe('')

    expect(sent().map(({ agent }) => agent)).toEqual(['clerk', 'lookup', 'clerk'])
    const [first, lookUp, last] = sent() as [Sent, Sent, Sent]
    expect(first.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-team': 'office' })
    expect(first.body).toMatchObject({ model: 'large', max_tokens: 900 })
    expect(first.body).not.toHaveProperty('temperature')
    expect(lastOf(first, 'system')).toContain(
      'CLERK: find it.\nBe kind. Use short words.\nAnswer in JSON, in at most 6 turns.',
    )
    expect(lastOf(first, 'user')).toBe('Where is order 7?')
    expect(first.body.tools?.map((tool) => tool.function.name).toSorted()).toEqual([
      'agent__drawer',
      'notes__say',
      'notes__status',
      'rest__shop_findOrder',
    ])
    expect(lookUp.body).toMatchObject({ model: 'small', temperature: 0.3 })
    expect(JSON.parse(lastOf(lookUp, 'user'))).toEqual({ drawer: 4 })
    const results = last.body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
    expect(results).toEqual(['hello', 'order 7 is in drawer four', 'yes, order 7'])
    expect(shop.requests).toHaveLength(1)
    expect(shop.requests[0]).toMatchObject({ method: 'GET', url: '/v1/orders/7%2F8?with=place&with=date' })
    expect(shop.requests[0]?.headers.authorization).toBe('Bearer shop-key-0123456789')
  })

  it('a router of ai-agent reads its advisors, hands over to a destination, and the destination answers', async () => {
    const { provider, sent } = await startProvider({
      risk: [{ text: 'The order may be lost.' }],
      front: [{ calls: [{ name: 'router__handoff-to', args: { agent: 'clerk', message: 'Look twice.' } }] }],
      clerk: [{ text: '{"place":"drawer four"}' }],
    })
    const { path } = await project(office(provider.baseURL, 'http://127.0.0.1:9'))
    const program = await troupeIn(path, ['run', 'office/front.ai', 'Where is order 7?'])
    expect(program.code).toBe(0)
    expect(JSON.parse(program.out)).toEqual({ place: 'drawer four' })
    expect(sent().map(({ agent }) => agent)).toEqual(['risk', 'front', 'clerk'])
    const [risk, front, clerk] = sent() as [Sent, Sent, Sent]
    expect(lastOf(risk, 'system')).toContain('RISK: name risks. Use short words.')
    expect(lastOf(risk, 'user')).toBe('Where is order 7?')
    expect(lastOf(front, 'user')).toContain('The order may be lost.')
    expect(lastOf(front, 'user')).toContain('Where is order 7?')
    expect(front.body.tools?.map((tool) => tool.function.name)).toEqual(['router__handoff-to'])
    expect(JSON.stringify(front.body.tools)).toContain('sales')
    expect(lastOf(clerk, 'user')).toContain('Where is order 7?')
    expect(lastOf(clerk, 'user')).toContain('Look twice.')
  })

  it('an agent of ai-agent falls back to the next model of its list', async () => {
    const { provider, sent } = await startProvider({
      risk: [{ text: 'None.' }],
      'front/large': [{ status: 404, message: 'no such model', code: 'model_not_found' }],
      'front/small': [{ text: 'Good morning.' }],
    })
    const { path } = await project(office(provider.baseURL, 'http://127.0.0.1:9'))
    const program = await troupeIn(path, ['run', 'office/front.ai', 'Hello.'])
    expect(program.code).toBe(0)
    expect(program.out).toBe('Good morning.\n')
    expect(sent().map(({ body }) => body.model)).toEqual(['small', 'large', 'small'])
  })

  it('`check` accepts a project of ai-agent without a warning, and lists the tools of its OpenAPI document', async () => {
    const { path } = await project(office('http://127.0.0.1:9/v1', 'http://127.0.0.1:9'))
    const check = await troupeIn(path, ['check', 'office/front.ai', '--strict'])
    expect(check.code).toBe(0)
    expect(check.out + check.err).not.toMatch(/warning:|error:/u)
    const tools = await troupeIn(path, ['tools', 'office/clerk.ai'])
    expect(tools.code).toBe(0)
    expect(tools.out).toMatch(/^rest__shop_findOrder +function +read +no +Finds an order\.$/mu)
    expect(tools.out).not.toContain('crash')
    expect(tools.out).not.toContain('dropOrder')
  })
})
