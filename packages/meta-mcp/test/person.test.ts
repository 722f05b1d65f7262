import { StreamableHTTPClientTransport, type Client } from '@modelcontextprotocol/client'
import type { ApprovalDecision, Approver, PersonAnswer, RunEvent } from '@troupe/schema'
import { fakeClock, sampleEvent, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMetaMcp, createMetaMcpHandler } from '../src/index.ts'
import { CLIENTS, connect, newClient, type Person, type ShownForm } from './support/connect.ts'
import { fakeRunner, type AskedRun } from './support/fake-runner.ts'
import { travel } from './support/travel.ts'

const CALL = {
  name: 'Travel_book_flight',
  arguments: { destination: 'Paris', departure_date: '2026-12-01' },
}
const WISH: Parameters<Approver>[0] = {
  runId: 'run',
  approvalId: 'run:1.1#1',
  agent: 'Travel',
  instance: 'Travel[1]',
  toolName: 'pay',
  args: { amount: 12, to: 'Ada\u202e' },
}
const QUESTION = { runId: 'run', agent: 'Travel', instance: 'Travel', toolName: 'ask' }
const never = new AbortController().signal

/** Returns a runner whose runs ask the user and answer with the reply. */
function askingRunner(ask: (run: AskedRun['options']) => Promise<unknown>): ReturnType<typeof fakeRunner> {
  return fakeRunner(async ({ options }) => ({
    output: { format: 'text', text: JSON.stringify((await ask(options)) ?? null) },
  }))
}
const approval = (wish: Partial<typeof WISH> = {}) =>
  askingRunner(async ({ approve }) => approve?.({ ...WISH, ...wish }, never))

/** Connects over HTTP. */
async function openHttp(
  era: 'legacy' | 'modern',
  runner: Pick<ReturnType<typeof fakeRunner>, 'run'>,
  person?: Person,
): Promise<Client> {
  let ids = 0
  const next = (): string => `id-${(ids += 1)}`
  const meta = createMetaMcp({ agent: travel(), runner, newContextId: next, clock: fakeClock() })
  const handler = createMetaMcpHandler(meta, { newSessionId: next })
  const client = newClient(era, person)
  onTestFinished(async () => {
    await client.close()
    await handler.close()
  })
  const fetch = (url: string | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(url, init)
    request.headers.set('host', 'localhost')
    return handler.fetch(request)
  }
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }))
  return client
}

const textOf = (result: Awaited<ReturnType<Client['callTool']>>): unknown => {
  const [part] = result.content as readonly { readonly text: string }[]
  return JSON.parse(part?.text ?? 'null')
}
const answering =
  (answer: string): Person =>
  () => ({ action: 'accept', content: { answer } })

describe.each(CLIENTS)('%s client with forms', (kind) => {
  it(`the form shows the whole call, and the answer decides ${verifies('R16')}`, async () => {
    const shown: ShownForm[] = []
    const { client } = await connect(kind, travel(), approval(), (form) => {
      shown.push(form)
      return { action: 'accept', content: { answer: 'allow once' } }
    })
    const result = await client.callTool(CALL)
    expect(textOf(result)).toEqual({ decision: 'approved' })
    expect(shown.map(({ message }) => message)).toEqual([
      'Travel[1] wants to call pay with\n{\n  "amount": 12,\n  "to": "Ada\\u202e"\n}',
    ])
    expect(shown[0]?.requestedSchema.properties['answer']?.enum).toEqual([
      'allow once',
      'allow in this session',
      'always allow',
      'deny',
    ])
  })

  it.each<[string, Person, ApprovalDecision]>([
    ['in the session', answering('allow in this session'), { decision: 'approved', remember: 'session' }],
    ['always', answering('always allow'), { decision: 'approved', remember: 'always' }],
    ['no', answering('deny'), { decision: 'denied', reason: 'the person denied the call' }],
    [
      'a refusal',
      () => ({ action: 'decline' }),
      { decision: 'denied', reason: 'the person denied the call' },
    ],
    [
      'a closed form',
      () => ({ action: 'cancel' }),
      { decision: 'denied', reason: 'the person gave no answer' },
    ],
  ])('the form accepts %s as an answer', async (_, person, decision) => {
    const { client } = await connect(kind, travel(), approval(), person)
    expect(textOf(await client.callTool(CALL))).toEqual(decision)
  })

  it('the form is shown again if the answer is empty', async () => {
    const answers = ['what?', 'allow once']
    const { client } = await connect(kind, travel(), approval(), () => ({
      action: 'accept',
      content: { answer: answers.shift() ?? '' },
    }))
    expect(textOf(await client.callTool(CALL))).toEqual({ decision: 'approved' })
  })

  it('the form offers only a single approval if a hook asks about the arguments', async () => {
    const shown: ShownForm[] = []
    const { client } = await connect(kind, travel(), approval({ reason: 'it is late' }), (form) => {
      shown.push(form)
      return { action: 'accept', content: { answer: 'always allow' } }
    })
    expect(textOf(await client.callTool(CALL))).toMatchObject({ decision: 'approved' })
    expect(shown[0]?.message).toContain('it is late')
    expect(shown[0]?.requestedSchema.properties['answer']?.enum).toEqual(['allow once', 'deny'])
  })

  it('forms show questions of tools: a text, a choice, and several fields', async () => {
    const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
    const runner = askingRunner(async ({ ask }) => [
      await ask?.({ ...QUESTION, question: 'Where to?' }, never),
      await ask?.({ ...QUESTION, question: 'Which?', choices: ['red', 'blue'] }, never),
      await ask?.({ ...QUESTION, question: 'Who?', form }, never),
    ])
    const { client } = await connect(kind, travel(), runner, ({ message }) => ({
      action: 'accept',
      content: message === 'Who?' ? { name: 'Ada' } : { answer: message === 'Which?' ? 'blue' : 'Rome' },
    }))
    expect(textOf(await client.callTool(CALL))).toEqual([
      { answered: true, text: 'Rome' },
      { answered: true, text: 'blue' },
      { answered: true, text: '{"name":"Ada"}', values: { name: 'Ada' } },
    ] satisfies readonly PersonAnswer[])
  })

  it('several children can show forms at the same time', async () => {
    const runner = askingRunner(({ approve }) =>
      Promise.all(
        ['a', 'b', 'c'].map(async (name) => approve?.({ ...WISH, approvalId: name, toolName: name }, never)),
      ),
    )
    const { client } = await connect(kind, travel(), runner, ({ message }) => ({
      action: 'accept',
      content: { answer: message.includes('call b') ? 'deny' : 'allow once' },
    }))
    const decisions = textOf(await client.callTool(CALL)) as readonly ApprovalDecision[]
    expect(decisions.map(({ decision }) => decision)).toEqual(['approved', 'denied', 'approved'])
  })

  it('progress numbers keep rising, also after a form was answered', async () => {
    const event: RunEvent = sampleEvent('turn-start', { turn: 1 })
    const runner = askingRunner(async ({ approve, onEvent }) => {
      onEvent?.(event)
      await approve?.(WISH, never)
      onEvent?.(event)
    })
    const { client } = await connect(kind, travel(), runner, answering('allow once'))
    const heard: number[] = []
    await client.callTool(CALL, { onprogress: ({ progress }) => void heard.push(progress) })
    // a client of the newer era counts rounds itself, too
    expect(heard.at(-1)).toBe(2)
    expect(heard).toEqual(heard.toSorted((a, b) => a - b))
  })
})

describe.each(['legacy', 'modern'] as const)('%s client over HTTP', (era) => {
  it('a client with forms gets approvals decided by its user', async () => {
    const client = await openHttp(era, approval(), answering('allow once'))
    expect(textOf(await client.callTool(CALL))).toEqual({ decision: 'approved' })
  })

  it('a run is headless if the client has no forms', async () => {
    const runner = fakeRunner()
    await (await openHttp(era, runner)).callTool(CALL)
    expect(runner.runs[0]?.options).toMatchObject({ headless: true })
    expect(runner.runs[0]?.options).not.toHaveProperty('approve')
  })
})

it('a legacy client stops the run when it cancels the call while a form is open', async () => {
  const stopped = Promise.withResolvers<unknown>()
  const runner = fakeRunner(async ({ options: { signal } }) => {
    signal?.addEventListener('abort', () => stopped.resolve(signal.reason))
    await stopped.promise
    return { outcome: 'cancelled' }
  })
  const asking = fakeRunner(async (run) => {
    await Promise.race([run.options.approve?.(WISH, never), runner.run(run.agent, run.input, run.options)])
    return { outcome: 'cancelled' }
  })
  const asked = Promise.withResolvers<void>()
  const client = await openHttp('legacy', asking, () => {
    asked.resolve()
    return new Promise(() => undefined)
  })
  const cancel = new AbortController()
  const settled = Promise.allSettled([client.callTool(CALL, { signal: cancel.signal })])
  await asked.promise
  cancel.abort()
  expect(await settled).toMatchObject([{ status: 'rejected' }])
  expect(await stopped.promise).toMatchObject({ code: 'run_cancelled' })
})

describe('answers of a stateless client', () => {
  const HEADERS = {
    host: 'localhost',
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': CALL.name,
  }
  const META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'me', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  }
  const open = (runner: ReturnType<typeof fakeRunner>) => {
    let ids = 0
    const next = (): string => `id-${(ids += 1)}`
    const handler = createMetaMcpHandler(
      createMetaMcp({ agent: travel(), runner, newContextId: next, clock: fakeClock() }),
      {
        newSessionId: next,
      },
    )
    onTestFinished(() => handler.close())
    return async (more: object): Promise<Reply> => {
      const params = { ...CALL, ...more, _meta: META }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      const response = await handler.fetch(
        new Request('http://localhost/mcp', { method: 'POST', headers: HEADERS, body }),
      )
      const text = await response.text()
      return JSON.parse(text.startsWith('{') ? text : (/^data: (\{.*)$/mu.exec(text)?.[1] ?? '')) as Reply
    }
  }
  interface Reply {
    readonly error?: { readonly code: number }
    readonly result: {
      readonly resultType?: string
      readonly requestState?: string
      readonly inputRequests?: Readonly<Record<string, unknown>>
      readonly content?: readonly { readonly text: string }[]
    }
  }
  const yes = { action: 'accept', content: { answer: 'allow once' } }

  it('an answer only counts with the request state that it belongs to', async () => {
    const send = open(approval())
    const { result } = await send({})
    const [key = ''] = Object.keys(result.inputRequests ?? {})
    const inputResponses = { [key]: yes }
    const tampered = await send({ inputResponses, requestState: `${result.requestState}x` })
    expect(tampered.error?.code).toBe(-32_602)
    const done = await send({ inputResponses, requestState: result.requestState })
    expect(done.result.content?.[0]?.text).toBe('{"decision":"approved"}')
    const again = await send({ inputResponses, requestState: result.requestState })
    expect(again.error?.code).toBe(-32_602)
  })

  it('an answer cannot approve a call in advance', async () => {
    const send = open(approval())
    const guess = { 'approval run:1.1#1': yes, answer: yes }
    const { result } = await send({ inputResponses: { answer: yes } })
    expect(result.resultType).toBe('input_required')
    // the id of a run is unknown before it starts; this one is from a test
    expect(Object.keys(guess)).toEqual(expect.arrayContaining(Object.keys(result.inputRequests ?? {})))
  })

  it('a missing answer is requested again, and additional answers are ignored', async () => {
    const runner = askingRunner(async ({ ask }) =>
      ask?.({ ...QUESTION, question: 'Who?', name: 'user_name' }, never),
    )
    const send = open(runner)
    const first = await send({ inputResponses: { wrong: yes } })
    expect(Object.keys(first.result.inputRequests ?? {})).toEqual(['user_name'])
    const { requestState } = first.result
    const second = await send({ inputResponses: { other: yes }, requestState })
    expect(second.result.requestState).not.toBe(requestState)
    const user_name = { action: 'accept', content: { answer: 'Ada' } }
    const last = await send({
      inputResponses: { user_name, other: yes },
      requestState: second.result.requestState,
    })
    expect(last.result.content?.[0]?.text).toContain('Ada')
    const beforehand = await send({ inputResponses: { user_name } })
    expect(beforehand.result.content?.[0]?.text).toContain('Ada')
  })
})
