import { openSqliteStore } from '@troupe/store'
import { tempProject } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import OpenAI from 'openai'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { coder } from './support/coder.ts'
import { oneAgent } from './support/one-agent.ts'
import { PARROT, serveTeam, type ServedTeam, type TeamToServe } from './support/serve-team.ts'
import { slowAgent } from './support/slow-agent.ts'

type Item = OpenAI.Conversations.ConversationItem

function clientOf({ url }: Pick<ServedTeam, 'url'>, apiKey = 'none'): OpenAI {
  return new OpenAI({ baseURL: `${url}/openai/v1`, apiKey, maxRetries: 0 })
}

/** An agent that answers with the number of messages that it got, without its prompt. */
const counter = (): TeamToServe => oneAgent((words) => ({ text: `${words.length - 1} messages` }))

async function itemsOf(client: OpenAI, id: string): Promise<readonly Item[]> {
  const items: Item[] = []
  for await (const item of client.conversations.items.list(id, { order: 'asc' })) items.push(item)
  return items
}

const textsOf = (items: readonly Item[]): readonly string[] =>
  items.map((item) =>
    item.type === 'message'
      ? `${item.role}: ${item.content.map((part) => ('text' in part ? part.text : part.type)).join(' ')}`
      : item.type,
  )

describe('OpenAI conversations', () => {
  it('a conversation can be created, read, changed and deleted before its first response', async () => {
    const client = clientOf(await serveTeam(counter()))
    const created = await client.conversations.create({ metadata: { topic: 'trips' } })
    expect(created).toEqual({
      id: expect.stringMatching(/^conv_[\w-]{32,}$/u),
      object: 'conversation',
      created_at: expect.any(Number),
      metadata: { topic: 'trips' },
    })
    expect(await client.conversations.retrieve(created.id)).toEqual(created)
    expect(await itemsOf(client, created.id)).toEqual([])
    const changed = { ...created, metadata: { topic: 'food' } }
    expect(await client.conversations.update(created.id, { metadata: { topic: 'food' } })).toEqual(changed)
    expect(await client.conversations.retrieve(created.id)).toEqual(changed)
    expect(await client.conversations.delete(created.id)).toEqual({
      id: created.id,
      object: 'conversation.deleted',
      deleted: true,
    })
    await expect(client.conversations.retrieve(created.id)).rejects.toMatchObject({ status: 404 })
    await expect(
      client.responses.create({ model: 'One', input: 'Hi', conversation: created.id }),
    ).rejects.toMatchObject({ status: 404, code: 'session_unknown' })
  })

  it('responses with a conversation continue it, also by its object and as a stream', async () => {
    const client = clientOf(await serveTeam(counter()))
    const { id } = await client.conversations.create()
    const first = await client.responses.create({ model: 'One', input: 'a', conversation: id })
    expect(first).toMatchObject({ output_text: '1 messages', conversation: { id } })
    expect(await client.responses.retrieve(first.id)).toMatchObject({ conversation: { id } })
    const second = await client.responses.create({ model: 'One', input: 'b', conversation: { id } })
    expect(second.output_text).toBe('3 messages')
    const stream = client.responses.stream({ model: 'One', input: 'c', conversation: id })
    expect((await stream.finalResponse()).output_text).toBe('5 messages')
    expect(textsOf(await itemsOf(client, id))).toEqual([
      'user: a',
      'assistant: 1 messages',
      'user: b',
      'assistant: 3 messages',
      'user: c',
      'assistant: 5 messages',
    ])
  })

  it('the items of a conversation are listed in pages of both orders, and each can be read', async () => {
    const client = clientOf(await serveTeam(counter()))
    const { id } = await client.conversations.create()
    for (const input of ['a', 'b', 'c'])
      await client.responses.create({ model: 'One', input, conversation: id })
    const all = await itemsOf(client, id)
    expect(new Set(all.map((item) => item.id)).size).toBe(6)
    for (const limit of [1, 2, 3, 5, 6])
      for (const order of ['asc', 'desc'] as const) {
        const read: unknown[] = []
        for await (const item of client.conversations.items.list(id, { order, limit })) read.push(item)
        expect(read).toEqual(order === 'asc' ? all : all.toReversed())
      }
    for (const item of all)
      expect(await client.conversations.items.retrieve(item.id ?? '', { conversation_id: id })).toEqual(item)
    for (const query of [{ limit: 0 }, { limit: 101 }])
      await expect(client.conversations.items.list(id, query)).rejects.toMatchObject({ status: 400 })
    for (const after of ['msg_none', 'msg_a.b', String(all[0]?.id).replace('.in0', '.in9')])
      await expect(client.conversations.items.list(id, { after })).rejects.toMatchObject({ status: 404 })
    const other = await client.conversations.create()
    await expect(
      client.conversations.items.retrieve(all[0]?.id ?? '', { conversation_id: other.id }),
    ).rejects.toMatchObject({ status: 404 })
  })

  it('calls of the client and their results are items of its conversation', async () => {
    const team = coder([{ calls: [{ tool: 'read', args: { path: 'a' } }] }, { text: 'Read.' }])
    const client = clientOf(await serveTeam(team))
    const { id } = await client.conversations.create()
    const tools = [{ type: 'function' as const, name: 'read', parameters: { type: 'object' }, strict: false }]
    const ask = (input: OpenAI.Responses.ResponseInput): Promise<OpenAI.Responses.Response> =>
      client.responses.create({ model: 'Coder', input, tools, conversation: id })
    const [call] = (await ask([{ role: 'user', content: 'Read.' }])).output
    if (call?.type !== 'function_call') throw new Error('There is no call.')
    const output = { type: 'function_call_output', call_id: call.call_id, output: 'text of a' } as const
    const other = await client.conversations.create()
    await expect(
      client.responses.create({ model: 'Coder', input: [output], tools, conversation: other.id }),
    ).rejects.toMatchObject({ status: 400 })
    expect((await ask([output])).output_text).toBe('Read.')
    expect(await itemsOf(client, id)).toMatchObject([
      { type: 'message', role: 'user' },
      { ...call, status: 'completed' },
      { ...output, status: 'completed' },
      { type: 'message', role: 'assistant', content: [{ text: 'Read.' }] },
    ])
  })

  it('a conversation belongs to its principal and to the agent of its first response', async () => {
    const tokens = [
      { token: 'token-of-ada-0001', principal: 'ada' },
      { token: 'token-of-ben-0001', principal: 'ben' },
    ]
    const team = counter()
    const served = await serveTeam({ ...team, cards: [...team.cards, PARROT], tokens })
    const [ada, ben] = tokens.map(({ token }) => clientOf(served, token))
    const conversation = await ada?.conversations.create()
    const id = conversation?.id ?? ''
    await ada?.responses.create({ model: 'One', input: 'a', conversation: id })
    const [item] = await itemsOf(ada as OpenAI, id)
    const attempts = [
      () => ben?.conversations.retrieve(id),
      () => ben?.conversations.update(id, { metadata: {} }),
      () => ben?.conversations.delete(id),
      () => ben?.conversations.items.list(id),
      () => ben?.conversations.items.retrieve(item?.id ?? '', { conversation_id: id }),
      () => ben?.responses.create({ model: 'One', input: 'b', conversation: id }),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ status: 404 })
    await expect(
      ada?.responses.create({ model: 'Parrot', input: 'b', conversation: id }),
    ).rejects.toMatchObject({ status: 409, code: 'session_mismatch' })
  })

  it('a conversation excludes an earlier response, unstored responses, and earlier messages', async () => {
    const client = clientOf(await serveTeam(counter()))
    const { id } = await client.conversations.create()
    const first = await client.responses.create({ model: 'One', input: 'a', conversation: id })
    const bodies = [
      { previous_response_id: first.id },
      { store: false },
      {
        input: [
          { role: 'assistant', content: 'b' },
          { role: 'user', content: 'c' },
        ] as const,
      },
    ]
    for (const body of bodies)
      await expect(
        client.responses.create({ model: 'One', input: 'b', conversation: id, ...(body as object) }),
      ).rejects.toMatchObject({ status: 400 })
    // an earlier response alone starts a branch, which is not part of the conversation
    const branch = await client.responses.create({ model: 'One', input: 'b', previous_response_id: first.id })
    expect(branch.output_text).toBe('3 messages')
    expect(textsOf(await itemsOf(client, id))).toEqual(['user: a', 'assistant: 1 messages'])
  })

  it('items cannot be added or deleted by hand, and the limits of metadata apply', async () => {
    const client = clientOf(await serveTeam(counter()))
    const items = [{ type: 'message', role: 'user', content: 'a' }] as const
    const { id } = await client.conversations.create({ items: [] })
    await client.responses.create({ model: 'One', input: 'a', conversation: id })
    const [item] = await itemsOf(client, id)
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`key${index}`, 'a']))
    const attempts = [
      () => client.conversations.create({ items: [...items] }),
      () => client.conversations.items.create(id, { items: [...items] }),
      () => client.conversations.items.delete(item?.id ?? '', { conversation_id: id }),
      () => client.conversations.create({ metadata: many }),
      () => client.conversations.create({ metadata: { key: 'a'.repeat(513) } }),
      () => client.responses.compact({ model: 'One', input: 'a' }),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ status: 400 })
    expect(await itemsOf(client, id)).toHaveLength(2)
  })

  it('a conversation with an active response is busy, and has no answer of it yet', async () => {
    const slow = slowAgent()
    const client = clientOf(await serveTeam(slow))
    const { id } = await client.conversations.create()
    const request = { model: 'Slow', input: 'Go', conversation: id, background: true } as const
    await client.responses.create(request)
    await slow.begun
    expect(textsOf(await itemsOf(client, id))).toEqual(['user: Go'])
    await expect(client.responses.create(request)).rejects.toMatchObject({ code: 'session_busy' })
    await expect(client.conversations.delete(id)).rejects.toMatchObject({ code: 'session_busy' })
    slow.answer()
    await expect.poll(async () => (await itemsOf(client, id)).length).toBe(2)
  })

  it('items are refused if the runs of the conversation are not stored fully', async () => {
    const team = counter()
    const cards = team.cards.map((card) =>
      typeof card === 'string' ? card : Object.freeze({ ...card, store: 'none' as const }),
    )
    const client = clientOf(await serveTeam({ ...team, cards }))
    const { id } = await client.conversations.create()
    for (const [input, answer] of [
      ['a', '1 messages'],
      ['b', '3 messages'],
    ] as const)
      expect(await client.responses.create({ model: 'One', input, conversation: id })).toMatchObject({
        output_text: answer,
      })
    await expect(client.conversations.items.list(id)).rejects.toMatchObject({ status: 400 })
  })

  it('a conversation without responses is not listed as a run, and outlives a restart', async () => {
    const project = await tempProject({})
    onTestFinished(() => project.remove())
    const open = () =>
      openSqliteStore({
        path: join(project.path, 'runs.db'),
        clock: SYSTEM_CLOCK,
        random: Math.random,
        writer: { token: randomUUID(), pid: 1, host: 'here', isAlive: () => true },
      })
    const first = await serveTeam({ ...counter(), store: await open() })
    const { id } = await clientOf(first).conversations.create({ metadata: { a: 'b' } })
    const listed = (await (await fetch(`${first.url}/api/runs`)).json()) as { readonly runs: unknown[] }
    expect(listed.runs).toEqual([])
    await first.server.close()
    await first.host.close()
    const second = clientOf(await serveTeam({ ...counter(), store: await open() }))
    expect(await second.conversations.retrieve(id)).toMatchObject({ metadata: { a: 'b' } })
    expect(await second.responses.create({ model: 'One', input: 'a', conversation: id })).toMatchObject({
      output_text: '1 messages',
    })
  })
})
