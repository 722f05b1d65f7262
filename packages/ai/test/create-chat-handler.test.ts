import { defineTool, failure, TroupeError, type AgentDefinition, type LanguageModel } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { deferred } from '@troupe/testkit/internal'
import { leadAndClerks, toModelIds } from '@troupe/testkit/teams'
import type { UIMessage } from 'ai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createChatHandler, type ChatHandlerOptions } from '../src/index.ts'
import { openChat, serveChat, typesOf } from './support/chat-client.ts'
import { agentA, openHost } from './support/open-host.ts'

/** Serves one agent of a team. Returns the address of its chat. */
async function serveAgent(
  cards: readonly AgentDefinition[],
  models: Readonly<Record<string, LanguageModel>>,
  { agent = 'A', ...options }: ChatHandlerOptions & { readonly agent?: string } = {},
): Promise<string> {
  const host = await openHost(cards, models)
  const handler = createChatHandler(host, agent, options)
  onTestFinished(() => handler.close())
  return serveChat(handler)
}

/** An agent that sends something, which needs approval. */
function sender(): {
  readonly cards: readonly AgentDefinition[]
  readonly models: Readonly<Record<string, LanguageModel>>
  readonly sent: readonly unknown[]
} {
  const sent: unknown[] = []
  const send = defineTool({
    name: 'send',
    description: 'Sends.',
    input: { type: 'object', properties: { to: { type: 'string' } } },
    requiresApproval: true,
    execute: ({ to }) => {
      sent.push(to)
      return 'sent'
    },
  })
  const model = scriptedModel((prompt) =>
    prompt.at(-1)?.role === 'tool' ? { text: 'Done.' } : { calls: [{ tool: 'send', args: { to: 'Ada' } }] },
  )
  return { cards: [agentA({ functionTools: [send] })], models: { 'test/a': model }, sent }
}

/** Decides on the calls of the last message that need an approval. */
function decide(messages: UIMessage[], approved: boolean): void {
  const last = messages.pop()
  if (last === undefined) throw new TypeError('There is no message.')
  const parts = last.parts.map((part) =>
    part.type === 'dynamic-tool' && part.state === 'approval-requested'
      ? { ...part, state: 'approval-responded' as const, approval: { ...part.approval, approved } }
      : part,
  )
  messages.push({ ...last, parts })
}

describe('createChatHandler', () => {
  it('a chat of useChat gets the text, the calls and the children of a team, without their events', async () => {
    const team = leadAndClerks(() => ({ text: '3' }), { tasks: ['count'], says: '' })
    const chat = openChat(await serveAgent(team.cards, toModelIds(team.models), { agent: 'Lead' }))
    const chunks = await chat.send('How many?')
    expect(typesOf(chunks)).toEqual([
      'start',
      'start-step',
      'tool-input-start',
      'tool-input-available',
      'data-child',
      'tool-output-available',
      'finish-step',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ])
    expect(chat.messages.at(-1)?.parts.at(-1)).toMatchObject({ type: 'text', text: 'There are 3.' })
    expect(chat.messages.at(-1)?.metadata).toMatchObject({ outcome: 'completed' })
  })

  it('sendEvents adds the events of all runs', async () => {
    const team = leadAndClerks(() => ({ text: '3' }), { tasks: ['count'], says: '' })
    const url = await serveAgent(team.cards, toModelIds(team.models), { agent: 'Lead', sendEvents: true })
    const chunks = await openChat(url).send('How many?')
    const agents = chunks.flatMap((chunk) =>
      chunk.type === 'data-event' ? [(chunk.data as { agent: string }).agent] : [],
    )
    expect(new Set(agents)).toEqual(new Set(['Lead', 'Clerk']))
  })

  it('a chat continues with its earlier messages', async () => {
    const model = scriptedModel((prompt) => ({
      text: `${prompt.filter(({ role }) => role !== 'system').length}`,
    }))
    const chat = openChat(await serveAgent([agentA()], { 'test/a': model }))
    await chat.send('a')
    await chat.send('b')
    expect(chat.messages.at(-1)?.parts.at(-1)).toMatchObject({ text: '3' })
  })

  it('only the agent of the handler answers, whatever agent a request names', async () => {
    const other = agentA({ name: 'B', model: 'test/b' })
    const models = { 'test/a': scriptedModel([{ text: 'from A' }]), 'test/b': scriptedModel([]) }
    const chat = openChat(await serveAgent([agentA({ default: true }), other], models), {
      body: { agent: 'B' },
    })
    await chat.send('x')
    expect(chat.messages.at(-1)?.parts.at(-1)).toMatchObject({ text: 'from A' })
  })

  it.each([
    [true, ['Ada'], 'output-available'],
    [false, [], 'output-denied'],
  ] as const)('a user decides on a call that needs an approval: %j', async (approved, sent, state) => {
    const team = sender()
    const chat = openChat(await serveAgent(team.cards, team.models))
    expect(typesOf(await chat.send('Hi')).slice(-3)).toEqual([
      'tool-approval-request',
      'finish-step',
      'finish',
    ])
    expect(team.sent).toEqual([])
    decide(chat.messages, approved)
    await chat.send()
    expect(team.sent).toEqual(sent)
    expect(chat.messages.at(-1)?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'dynamic-tool', toolName: 'send', state },
      { type: 'step-start' },
      { type: 'text', text: 'Done.' },
    ])
  })

  it('one user cannot approve the calls of another in a chat with the same id', async () => {
    const team = sender()
    const principal = ({ headers }: Request): string | undefined => headers.get('x-user') ?? undefined
    const url = await serveAgent(team.cards, team.models, { principal })
    const ada = openChat(url, { headers: { 'x-user': 'ada' } })
    await ada.send('Hi')
    decide(ada.messages, true)
    const eve = openChat(url, { headers: { 'x-user': 'eve' } })
    eve.messages.push(...ada.messages)
    await expect(eve.send()).rejects.toThrow('approval_unknown')
    expect(team.sent).toEqual([])
    await ada.send()
    expect(team.sent).toEqual(['Ada'])
    await expect(openChat(url).send('Hi')).rejects.toThrow('token_required')
  })

  it('a user sees a general error, and the app gets the reason', async () => {
    const error = new TroupeError(failure('model_bad_request', 'The key sk-1 was rejected.'))
    const errors: unknown[] = []
    const url = await serveAgent(
      [agentA()],
      { 'test/a': scriptedModel([{ error }]) },
      { onError: (thrown) => errors.push(thrown) },
    )
    const chunks = await openChat(url).send('Hi')
    expect(chunks.at(-2)).toMatchObject({ type: 'error', errorText: expect.not.stringContaining('sk-1') })
    expect(String(errors[0])).toContain('sk-1')
  })

  it('a disconnect cancels the run', async () => {
    const started = deferred()
    const aborted = deferred()
    const model = scriptedModel(async (_, { options }) => {
      options.abortSignal?.addEventListener('abort', () => aborted.resolve())
      started.resolve()
      await aborted.promise
      return { text: 'late' }
    })
    const chat = openChat(await serveAgent([agentA()], { 'test/a': model }))
    const stop = new AbortController()
    const sending = Promise.allSettled([chat.send('Hi', stop.signal)])
    await started.promise
    stop.abort()
    await aborted.promise
    expect(await sending).toHaveLength(1)
  })

  it('requests beyond the limits are refused', async () => {
    const started = deferred()
    const released = deferred()
    const model = scriptedModel(async () => {
      started.resolve()
      await released.promise
      return { text: 'done' }
    })
    const url = await serveAgent([agentA()], { 'test/a': model }, { maxRuns: 1, maxBodyBytes: 1000 })
    const first = openChat(url, { chatId: '1' }).send('Hi')
    await started.promise
    const second = await openChat(url, { chatId: '2' }).send('Hi')
    expect(second.at(-2)).toMatchObject({
      type: 'error',
      errorText: expect.stringContaining('1 runs are in progress'),
    })
    released.resolve()
    expect((await first).at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
    await expect(openChat(url).send('x'.repeat(2000))).rejects.toThrow('request_too_large')
    const form = await fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } })
    expect(form.status).toBe(415)
  })

  it('a client that does not read its answer is cut off', async () => {
    const parts = Array.from({ length: 20 }, () => ({
      type: 'text-delta',
      id: '1',
      delta: 'x'.repeat(50_000),
    }))
    const model = scriptedModel([{ parts: parts as never }])
    const ended = deferred()
    const host = await openHost([agentA()], { 'test/a': model })
    const runner = {
      ...host,
      run: (async (...args: Parameters<typeof host.run>) => {
        const report = await host.run(...args)
        ended.resolve()
        return report
      }) as typeof host.run,
    }
    const handler = createChatHandler(runner, 'A', { sendEvents: true })
    const body = { id: 'c', messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] }
    const response = await handler(
      new Request('http://localhost/api/chat', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
    expect(response.ok).toBe(true)
    await ended.promise
    await expect(response.text()).rejects.toThrow('The client does not read the answer.')
  })
})
