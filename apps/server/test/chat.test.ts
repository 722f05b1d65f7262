import { type RunEvent, defineAgent, defineTool, failure, TroupeError } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { heldClock, settle, verifies } from '@troupe/testkit/internal'
import { emptyTimeline, reduceTimeline } from '@troupe/timeline'
import {
  DefaultChatTransport,
  readUIMessageStream,
  validateUIMessages,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import { describe, expect, it } from 'vitest'
import { oneAgent } from './support/one-agent.ts'
import { sender } from './support/sender.ts'
import { leadAndClerk, PARROT, serveTeam, type ServedTeam, type TeamToServe } from './support/serve-team.ts'
import { slowAgent } from './support/slow-agent.ts'

/** Time in which a client can reconnect. */
const RECONNECT_MS = 10_000

function user(text: string): UIMessage {
  return { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] }
}

/** Opens a chat with an agent through the transport of the AI SDK, which rejects chunks that violate their schema. */
async function openChat(
  team: TeamToServe,
  agent?: string,
): Promise<{
  readonly messages: readonly UIMessage[]
  /** Returns the chunks of the answer, which is appended to the messages or replaces the last one if it continues it. */
  send(message?: UIMessage, abortSignal?: AbortSignal): Promise<readonly UIMessageChunk[]>
  change(message: UIMessage): void
}> {
  const { url } = await serveTeam(team)
  const transport = new DefaultChatTransport({
    api: `${url}/api/chat`,
    ...(agent === undefined ? {} : { body: { agent } }),
  })
  const messages: UIMessage[] = []
  return {
    messages,
    change(message) {
      messages[messages.length - 1] = message
    },
    async send(message, abortSignal) {
      if (message !== undefined) messages.push(message)
      const stream = await transport.sendMessages({
        chatId: 'chat',
        trigger: 'submit-message',
        messageId: undefined,
        messages,
        abortSignal,
      })
      const [forChunks, forMessage] = stream.tee()
      const last = messages.at(-1)
      const before = last?.role === 'assistant' ? { message: structuredClone(last) } : {}
      const reading = (async () => {
        let read: UIMessage | undefined
        for await (const one of readUIMessageStream({
          stream: forMessage,
          ...before,
          onError: () => undefined,
        }))
          read = one
        return read
      })()
      const chunks: UIMessageChunk[] = []
      for await (const chunk of forChunks) chunks.push(chunk)
      const answer = await reading
      if (answer !== undefined) {
        if (last?.role === 'assistant') messages.pop()
        messages.push(answer)
        await validateUIMessages({ messages })
      }
      return chunks
    },
  }
}

function types(chunks: readonly UIMessageChunk[]): readonly string[] {
  const told = chunks.map(({ type }) => type).filter((type) => type !== 'data-event')
  return told.filter((type, at) => type !== told[at - 1])
}

/** Returns a message in which the user has decided on every call that needs approval. */
function decided(message: UIMessage | undefined, approved: boolean): UIMessage {
  if (message === undefined) throw new TypeError('There is no message.')
  const parts = message.parts.map((part) =>
    part.type === 'dynamic-tool' && part.state === 'approval-requested'
      ? { ...part, state: 'approval-responded' as const, approval: { ...part.approval, approved } }
      : part,
  )
  return { ...message, parts }
}

describe('AI SDK chat transport', () => {
  it(`the chat transport gets a message with its tool calls, and child runs as data ${verifies('C68')}`, async () => {
    const chat = await openChat(leadAndClerk(), 'Lead')
    const chunks = await chat.send(user('How many?'))
    expect(types(chunks)).toEqual([
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
    const answer = chat.messages.at(-1)
    expect(answer?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'dynamic-tool', toolName: 'agent__Clerk', state: 'output-available', output: '3' },
      { type: 'data-child', data: { agent: 'Clerk', state: 'completed', output: { text: '3' } } },
      { type: 'step-start' },
      { type: 'text', text: 'There are 3.', state: 'done' },
    ])
    expect(answer?.metadata).toMatchObject({ outcome: 'completed', usage: { modelCalls: 3 } })
  })

  it(`the chat transport gets every event that a timeline needs ${verifies('C69')}`, async () => {
    const chat = await openChat(leadAndClerk(), 'Lead')
    const chunks = await chat.send(user('How many?'))
    const events = chunks.flatMap((chunk) => (chunk.type === 'data-event' ? [chunk.data as RunEvent] : []))
    const timeline = events.reduce((view, event) => reduceTimeline(view, event), emptyTimeline())
    expect([...timeline.runs.values()].map(({ agent, state }) => [agent, state])).toEqual([
      ['Lead', 'done'],
      ['Clerk', 'done'],
    ])
    expect(chat.messages.at(-1)?.parts.some(({ type }) => type === 'data-event')).toBe(false)
  })

  it('the chat transport sends the whole conversation, and the entry agent answers if none is named', async () => {
    const chat = await openChat(oneAgent((said) => ({ text: said.slice(1).join('\n') })))
    await chat.send(user('a'))
    await chat.send(user('b'))
    expect(chat.messages.at(-1)?.parts.at(-1)).toMatchObject({
      text: 'user: a\nassistant: user: a\nuser: b',
    })
  })

  it.each([
    [true, ['"Ada"'], 'output-available'],
    [false, [], 'output-denied'],
  ] as const)('a chat client decides on a call that needs an approval: %j', async (approved, sent, state) => {
    const team = sender()
    const chat = await openChat(team)
    const asking = await chat.send(user('Hi'))
    expect(types(asking).slice(-3)).toEqual(['tool-approval-request', 'finish-step', 'finish'])
    expect(team.sent).toEqual([])
    chat.change(decided(chat.messages.at(-1), approved))
    await chat.send()
    expect(team.sent).toEqual(sent)
    expect(chat.messages).toHaveLength(2)
    expect(chat.messages.at(-1)?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'dynamic-tool', toolName: 'send', state },
      { type: 'step-start' },
      { type: 'text', text: 'Done.' },
    ])
  })

  it('a chat client decides on a call of a child run', async () => {
    const team = sender()
    const boss = defineAgent({
      name: 'Boss',
      description: 'Leads.',
      instruction: 'Lead.',
      model: 'test/boss',
      agents: ['Sender'],
    })
    const model = scriptedModel((prompt) =>
      prompt.at(-1)?.role === 'tool'
        ? { text: 'All done.' }
        : { calls: [{ tool: 'agent__Sender', args: { text: 'go' } }] },
    )
    const chat = await openChat(
      { cards: [boss, ...team.cards], models: { ...team.models, boss: model } },
      'Boss',
    )
    await chat.send(user('Hi'))
    chat.change(decided(chat.messages.at(-1), true))
    await chat.send()
    expect(team.sent).toEqual(['"Ada"'])
    const calls = chat.messages.at(-1)?.parts.filter(({ type }) => type === 'dynamic-tool')
    expect(calls).toMatchObject([
      { toolName: 'agent__Sender', state: 'output-available' },
      { toolName: 'Sender: send', state: 'output-available' },
    ])
  })

  it('the next user message of a chat answers a question of a tool', async () => {
    const name = defineTool({
      name: 'name',
      description: 'Asks for a name.',
      input: { type: 'object' },
      execute: async (_, call) => {
        const answer = await call.ask({ question: 'Who are you?' })
        return answer.answered ? answer.text : answer.reason
      },
    })
    const agent = defineAgent({
      name: 'Host',
      description: 'Greets.',
      instruction: 'Greet.',
      model: 'test/host',
      functionTools: [name],
    })
    const model = scriptedModel((prompt) => {
      const last = prompt.at(-1)
      return last?.role === 'tool' ? { text: JSON.stringify(last.content) } : { calls: [{ tool: 'name' }] }
    })
    const chat = await openChat({ cards: [agent], models: { host: model } })
    await chat.send(user('Hi'))
    expect(chat.messages.at(-1)?.parts.at(-1)).toMatchObject({
      type: 'data-question',
      data: { question: 'Who are you?' },
    })
    await chat.send(user('Ada'))
    expect(chat.messages).toHaveLength(4)
    expect(chat.messages.at(-1)?.parts).toMatchObject([
      { type: 'dynamic-tool', toolName: 'name', state: 'output-available', output: 'Ada' },
      { type: 'step-start' },
      { type: 'text', text: expect.stringContaining('Ada') },
    ])
  })

  it('a chat client gets the error of a failed run', async () => {
    const error = new TroupeError(failure('model_bad_request', 'No.'))
    const chat = await openChat(oneAgent(() => ({ error })))
    const chunks = await chat.send(user('Hi'))
    expect(chunks.slice(-2)).toMatchObject([
      { type: 'error', errorText: expect.stringContaining('No.') },
      { type: 'finish', finishReason: 'error' },
    ])
  })

  it('a disconnect of the chat client cancels the run', async () => {
    const slow = slowAgent()
    const { clock, expire } = heldClock(RECONNECT_MS)
    const chat = await openChat({ ...slow, clock })
    const leave = new AbortController()
    const left = Promise.allSettled([chat.send(user('Hi'), leave.signal)])
    await slow.begun
    leave.abort()
    await expect
      .poll(async () => {
        expire()
        return Promise.race([slow.stopped.then(() => 'stopped'), settle().then(() => 'running')])
      })
      .toBe('stopped')
    expect(await left).toHaveLength(1)
  })
})

describe('AI SDK chat resume', () => {
  const CHAT = { chatId: 'chat', trigger: 'submit-message', messageId: undefined } as const

  async function serveChat(
    team: TeamToServe,
  ): Promise<Pick<ServedTeam, 'url' | 'records'> & { readonly transport: DefaultChatTransport<UIMessage> }> {
    const { url, records } = await serveTeam(team)
    return { url, records, transport: new DefaultChatTransport({ api: `${url}/api/chat` }) }
  }
  async function read(stream: ReadableStream<UIMessageChunk> | null): Promise<readonly UIMessageChunk[]> {
    const chunks: UIMessageChunk[] = []
    for await (const chunk of stream ?? []) chunks.push(chunk)
    return chunks
  }
  const textOf = (chunks: readonly UIMessageChunk[]): string =>
    chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')

  it('a client that reconnects in time gets the whole answer of the run', async () => {
    const slow = slowAgent()
    const { clock, expire } = heldClock(RECONNECT_MS)
    const { transport, records } = await serveChat({ ...slow, clock })
    const leave = new AbortController()
    const first = await transport.sendMessages({
      ...CHAT,
      messages: [user('Hi')],
      abortSignal: leave.signal,
    })
    const seen = Promise.allSettled([read(first)])
    await slow.begun
    leave.abort()
    await seen
    // the server has noticed that the client is gone
    await expect.poll(() => records).toHaveLength(1)
    const again = await transport.reconnectToStream({ chatId: 'chat' })
    expire()
    slow.answer()
    const chunks = await read(again)
    expect(chunks[0]).toMatchObject({ type: 'start', messageMetadata: { agent: 'Slow' } })
    expect(textOf(chunks)).toBe('At last.')
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
    expect(await transport.reconnectToStream({ chatId: 'chat' })).toBeNull()
  })

  it('several clients read the same answer at once', async () => {
    const slow = slowAgent()
    const { transport } = await serveChat(slow)
    const first = await transport.sendMessages({
      ...CHAT,
      messages: [user('Hi')],
      abortSignal: undefined,
    })
    await slow.begun
    const second = await transport.reconnectToStream({ chatId: 'chat' })
    slow.answer()
    const [one, two] = await Promise.all([read(first), read(second)])
    expect(one).toEqual(two)
    expect(textOf(one)).toBe('At last.')
  })

  it('an answer that ended without a client can be read once', async () => {
    const slow = slowAgent()
    const { transport, records } = await serveChat(slow)
    const leave = new AbortController()
    const first = await transport.sendMessages({
      ...CHAT,
      messages: [user('Hi')],
      abortSignal: leave.signal,
    })
    const seen = Promise.allSettled([read(first)])
    await slow.begun
    leave.abort()
    await seen
    // the server has noticed that the client is gone
    await expect.poll(() => records).toHaveLength(1)
    slow.answer()
    expect(textOf(await read(await transport.reconnectToStream({ chatId: 'chat' })))).toBe('At last.')
    expect(await transport.reconnectToStream({ chatId: 'chat' })).toBeNull()
  })

  it('there is nothing to read for other chats, other principals, or while a run waits for an approval', async () => {
    const slow = slowAgent()
    const tokens = [
      { token: 'token-of-ada-0001', principal: 'ada' },
      { token: 'token-of-ben-0001', principal: 'ben' },
    ]
    const { url } = await serveChat({ ...slow, tokens })
    const as = (name: string): DefaultChatTransport<UIMessage> =>
      new DefaultChatTransport({
        api: `${url}/api/chat`,
        headers: { authorization: `Bearer token-of-${name}-0001` },
      })
    const first = await as('ada').sendMessages({ ...CHAT, messages: [user('Hi')], abortSignal: undefined })
    await slow.begun
    expect(await as('ben').reconnectToStream({ chatId: 'chat' })).toBeNull()
    expect(await as('ada').reconnectToStream({ chatId: 'other' })).toBeNull()
    slow.answer()
    await read(first)

    const { transport } = await serveChat(sender())
    await read(await transport.sendMessages({ ...CHAT, messages: [user('Hi')], abortSignal: undefined }))
    expect(await transport.reconnectToStream({ chatId: 'chat' })).toBeNull()
  })
})

it('a chat needs no id if the run asks no question', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const response = await fetch(`${url}/api/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [user('Hi')] }),
  })
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('"delta":"Hi"')
})

it('a chat request that cannot be handled gets an error status', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const post = async (body: object) => {
    const response = await fetch(`${url}/api/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'chat', ...body }),
    })
    return [response.status, await response.json()] as const
  }
  const messages = [user('Hi')]
  const approval = {
    type: 'dynamic-tool',
    state: 'approval-responded',
    approval: { id: 'x', approved: true },
  }
  expect(await post({ messages, agent: 'Nobody' })).toMatchObject([404, { error: { code: 'agent_unknown' } }])
  expect(await post({})).toMatchObject([400, { error: { code: 'request_invalid' } }])
  expect(
    await post({ messages: [...messages, { id: '2', role: 'assistant', parts: [approval] }] }),
  ).toMatchObject([404, { error: { code: 'approval_unknown' } }])
})
