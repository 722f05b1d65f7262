import { createMemoryStore } from '@troupe/store'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { defineAgent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { coder } from './support/coder.ts'
import { allEvents } from './support/read-events.ts'
import { leadAndClerk, PARROT, serveTeam, type ServedTeam } from './support/serve-team.ts'
import { slowAgent } from './support/slow-agent.ts'

type Event = OpenAI.Responses.ResponseStreamEvent

function clientOf({ url }: Pick<ServedTeam, 'url'>, apiKey = 'none'): OpenAI {
  return new OpenAI({ baseURL: `${url}/openai/v1`, apiKey, maxRetries: 0 })
}

async function collect(stream: AsyncIterable<Event>): Promise<readonly Event[]> {
  const events: Event[] = []
  for await (const event of stream) events.push(event)
  return events
}

/** Reads a response until it has ended. */
async function endOf(client: OpenAI, id: string): Promise<OpenAI.Responses.Response> {
  await expect
    .poll(async () => (await client.responses.retrieve(id)).status)
    .toMatch(/^(?:completed|failed|incomplete|cancelled)$/u)
  return client.responses.retrieve(id)
}

function textOf(events: readonly Event[]): string {
  return events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')
}

describe('background responses', () => {
  it('a background response is created at once, and its run does not need the client', async () => {
    const slow = slowAgent()
    const client = clientOf(await serveTeam(slow))
    const created = await client.responses.create({ model: 'Slow', input: 'Go', background: true })
    expect(created).toMatchObject({ status: 'in_progress', background: true, output: [] })
    await slow.begun
    expect(await client.responses.retrieve(created.id)).toMatchObject({ status: 'in_progress' })
    slow.answer()
    expect(await endOf(client, created.id)).toMatchObject({
      id: created.id,
      status: 'completed',
      background: true,
      output_text: 'At last.',
    })
  })

  it('a background response is queued while the server is at capacity', async () => {
    const slow = slowAgent()
    const team = await serveTeam({ ...slow, cards: [...slow.cards, PARROT], limits: { maxRuns: 1 } })
    const client = clientOf(team)
    const first = await client.responses.create({ model: 'Slow', input: 'Go', background: true })
    await slow.begun
    const second = await client.responses.create({ model: 'Parrot', input: 'Hi', background: true })
    expect(second.status).toBe('queued')
    expect(await client.responses.retrieve(second.id)).toMatchObject({ status: 'queued', background: true })
    expect(await client.responses.cancel(first.id)).toMatchObject({ status: 'cancelled' })
    expect((await endOf(client, second.id)).output_text).toBe('Hi')
  })

  it('the stream of a background response can be left, and read again from any event', async () => {
    const slow = slowAgent()
    const client = clientOf(await serveTeam(slow))
    const first = await client.responses.create({
      model: 'Slow',
      input: 'Go',
      background: true,
      stream: true,
    })
    const seen: Event[] = []
    for await (const event of first) {
      seen.push(event)
      if (event.type === 'response.in_progress') break
    }
    const [created] = seen
    if (created?.type !== 'response.created') throw new Error('There is no response.')
    const { id } = created.response
    await slow.begun
    const rest = await client.responses.retrieve(id, { stream: true, starting_after: 1 })
    slow.answer()
    const events = [...seen, ...(await collect(rest))]
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index))
    expect(textOf(events)).toBe('At last.')
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } })
    const again = await collect(await client.responses.retrieve(id, { stream: true }))
    expect(again).toEqual(events)
    for (const after of [0, 4, 8, 100])
      expect(
        await collect(await client.responses.retrieve(id, { stream: true, starting_after: after })),
      ).toEqual(events.slice(after + 1))
  })

  it('the stream helper of the official client resumes a background response', async () => {
    const client = clientOf(await serveTeam(leadAndClerk()))
    const { id } = await client.responses.create({ model: 'Lead', input: 'How many?', background: true })
    const stream = client.responses.stream({ response_id: id, starting_after: 3 })
    const events = await collect(stream)
    expect(events[0]?.sequence_number).toBe(4)
    expect(textOf(events)).toBe('There are 3.')
    expect((await stream.finalResponse()).output_text).toBe('There are 3.')
  })

  it('a background response can be read and streamed after a restart, and its run is resumed', async () => {
    const store = createMemoryStore({ clock: SYSTEM_CLOCK })
    const slow = slowAgent()
    const before = await serveTeam({
      ...slow,
      cards: [...slow.cards, PARROT],
      store,
      limits: { drainTimeout: 1 },
    })
    const done = await clientOf(before).responses.create({ model: 'Parrot', input: 'a', background: true })
    await endOf(clientOf(before), done.id)
    const open = await clientOf(before).responses.create({
      model: 'Slow',
      input: 'Go',
      background: true,
      stream: true,
    })
    const reading = collect(open)
    await slow.begun
    await before.server.close()
    const seen = await reading
    expect(seen.map(({ type }) => type)).toEqual(['response.created', 'response.in_progress'])
    const [created] = seen
    if (created?.type !== 'response.created') throw new Error('There is no response.')

    const next = slowAgent()
    const client = clientOf(await serveTeam({ ...next, cards: [...next.cards, PARROT], store }))
    expect(await client.responses.retrieve(done.id)).toMatchObject({ output_text: 'a', background: true })
    const again = await client.responses.retrieve(created.response.id, { stream: true, starting_after: 1 })
    await next.begun
    next.answer()
    const events = await collect(again)
    expect(textOf(events)).toBe('At last.')
    expect(events.at(-1)).toMatchObject({ type: 'response.completed' })
    const numbers = events.map(({ sequence_number: number }) => number)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(numbers[0]).toBe(2)
    // a client that has read a part of the text gets the end with the whole text
    const end = await collect(
      await client.responses.retrieve(created.response.id, { stream: true, starting_after: 900 }),
    )
    expect(end.map(({ type }) => type)).toEqual([
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    const helper = client.responses.stream({ response_id: created.response.id, starting_after: 1 })
    expect((await helper.finalResponse()).output_text).toBe('At last.')
  })

  it('cancel ends a background response for good, and its stream with it', async () => {
    const slow = slowAgent()
    const client = clientOf(await serveTeam(slow))
    const stream = await client.responses.create({
      model: 'Slow',
      input: 'Go',
      background: true,
      stream: true,
    })
    const events: Event[] = []
    for await (const event of stream) {
      events.push(event)
      if (event.type !== 'response.in_progress') continue
      await slow.begun
      expect(await client.responses.cancel(event.response.id)).toMatchObject({
        status: 'cancelled',
        error: null,
      })
    }
    await slow.stopped
    expect(events.at(-1)).toMatchObject({ response: { status: 'cancelled' } })
    const { id } = (events[0] as Extract<Event, { type: 'response.created' }>).response
    expect(await client.responses.retrieve(id)).toMatchObject({ status: 'cancelled' })
    expect(await client.responses.cancel(id)).toMatchObject({ status: 'cancelled' })
  })

  it('cancel leaves a response that has ended as it is, and rejects one that was not in the background', async () => {
    const client = clientOf(await serveTeam({ cards: [PARROT] }))
    const { id } = await client.responses.create({ model: 'Parrot', input: 'a', background: true })
    await endOf(client, id)
    expect(await client.responses.cancel(id)).toMatchObject({
      status: 'completed',
      output: [{ content: [{ text: 'a' }] }],
    })
    const other = await client.responses.create({ model: 'Parrot', input: 'a' })
    await expect(client.responses.cancel(other.id)).rejects.toMatchObject({ status: 400 })
    await expect(client.responses.cancel('resp_a.b')).rejects.toMatchObject({ status: 404 })
  })

  it('a background response with `store: false`, or of an agent that is not stored, is rejected', async () => {
    const metadata = { ...PARROT, name: 'Metadata', store: 'metadata' as const }
    const none = { ...PARROT, name: 'None', store: 'none' as const }
    const team = await serveTeam({ cards: [PARROT, metadata, none] })
    const client = clientOf(team)
    const ask = (model: string, store?: boolean) =>
      client.responses.create({
        model,
        input: 'a',
        background: true,
        ...(store === undefined ? {} : { store }),
      })
    await expect(ask('Parrot', false)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('store'),
    })
    for (const model of ['Metadata', 'None']) await expect(ask(model)).rejects.toMatchObject({ status: 400 })
    const runs = (await (await fetch(`${team.url}/api/runs`)).json()) as { readonly runs: readonly unknown[] }
    expect(runs.runs).toEqual([])
  })

  it('a background response continues the conversation of another one and is refused while that is in progress', async () => {
    const slow = slowAgent()
    const client = clientOf(await serveTeam(slow))
    const first = await client.responses.create({ model: 'Slow', input: 'a', background: true })
    await slow.begun
    const ask = () =>
      client.responses.create({
        model: 'Slow',
        input: 'b',
        background: true,
        previous_response_id: first.id,
      })
    await expect(ask()).rejects.toMatchObject({ status: 409 })
    slow.answer()
    await endOf(client, first.id)
    const second = await ask()
    expect(await endOf(client, second.id)).toMatchObject({
      previous_response_id: first.id,
      output_text: 'At last.',
    })
  })

  it('a failed background response has its error', async () => {
    const agent = defineAgent({ name: 'Broken', description: 'b', instruction: 'b', model: 'test/broken' })
    const broken = scriptedModel(() => ({ error: new Error('No.') }))
    const client = clientOf(await serveTeam({ cards: [agent], models: { broken } }))
    const { id } = await client.responses.create({ model: 'Broken', input: 'a', background: true })
    expect(await endOf(client, id)).toMatchObject({ status: 'failed', error: { code: 'server_error' } })
    const events = await collect(await client.responses.retrieve(id, { stream: true }))
    expect(events.at(-1)).toMatchObject({ type: 'response.failed' })
  })

  it('a background response ends with the calls of its client, whose results continue it in the background', async () => {
    const READ = {
      type: 'function' as const,
      name: 'read',
      parameters: { type: 'object', properties: { path: { type: 'string' } } },
      strict: false,
    }
    const client = clientOf(await serveTeam(coder([{ calls: [{ tool: 'read', args: { path: 'a' } }] }])))
    const shared = { model: 'Coder', tools: [READ], background: true }
    const first = await client.responses.create({ ...shared, input: 'Read.' })
    const asked = await endOf(client, first.id)
    expect(asked).toMatchObject({ status: 'completed', output: [{ type: 'function_call', name: 'read' }] })
    const streamed = await collect(await client.responses.retrieve(first.id, { stream: true }))
    expect(streamed.at(-1)).toMatchObject({ response: { output: [{ type: 'function_call' }] } })
    const [call] = asked.output
    if (call?.type !== 'function_call') throw new Error('There is no call.')
    const second = await client.responses.create({
      ...shared,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'text' }],
      previous_response_id: first.id,
    })
    expect(second).toMatchObject({ status: 'in_progress' })
    expect(JSON.parse((await endOf(client, second.id)).output_text)).toEqual(['text'])
    const rest = await collect(await client.responses.retrieve(second.id, { stream: true }))
    expect(JSON.parse(textOf(rest))).toEqual(['text'])
  })
})

describe('stored responses', () => {
  it('a deleted response can be neither read nor continued, and its run stays', async () => {
    const team = await serveTeam({ cards: [PARROT] })
    const client = clientOf(team)
    const first = await client.responses.create({ model: 'Parrot', input: 'a' })
    const second = await client.responses.create({
      model: 'Parrot',
      input: 'b',
      previous_response_id: first.id,
    })
    const answer = await fetch(`${team.url}/openai/v1/responses/${first.id}`, { method: 'DELETE' })
    expect(await answer.json()).toEqual({ id: first.id, object: 'response', deleted: true })
    const calls = [
      () => client.responses.retrieve(first.id),
      () => client.responses.retrieve(first.id, { stream: true }),
      () => client.responses.cancel(first.id),
      () => client.responses.delete(first.id),
      () => client.responses.inputItems.list(first.id),
      () => client.responses.create({ model: 'Parrot', input: 'c', previous_response_id: first.id }),
    ]
    for (const call of calls) await expect(call()).rejects.toMatchObject({ status: 404 })
    const runs = (await (await fetch(`${team.url}/api/runs`)).json()) as { readonly runs: readonly unknown[] }
    expect(runs.runs).toHaveLength(2)
    const third = await client.responses.create({
      model: 'Parrot',
      input: 'c',
      previous_response_id: second.id,
    })
    expect(third.output_text).toBe('c')
  })

  it('a response in progress cannot be deleted before it is cancelled', async () => {
    const slow = slowAgent()
    const client = clientOf(await serveTeam(slow))
    const { id } = await client.responses.create({ model: 'Slow', input: 'a', background: true })
    await slow.begun
    await expect(client.responses.delete(id)).rejects.toMatchObject({ status: 400 })
    await client.responses.cancel(id)
    await client.responses.delete(id)
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 })
  })

  it('the input items of a response are listed in pages', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const client = clientOf({ url })
    const { id } = await client.responses.create({
      model: 'Parrot',
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'three' },
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
          ],
        },
      ],
    })
    const all = await client.responses.inputItems.list(id, { order: 'asc' })
    expect(all.data).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'one' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'two' }] },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'three' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
        ],
      },
    ])
    const page = await client.responses.inputItems.list(id, { limit: 2 })
    const raw = await (await fetch(`${url}/openai/v1/responses/${id}/input_items?limit=2`)).json()
    const [, second, third] = all.data
    expect(raw).toMatchObject({
      object: 'list',
      has_more: true,
      first_id: third?.id,
      last_id: second?.id,
    })
    const ids: unknown[] = []
    for await (const item of page) ids.push(item.id)
    expect(ids).toEqual(all.data.map((item) => item.id).toReversed())
    for (const query of [{ limit: 0 }, { limit: 101 }, { after: 'msg_none' }])
      await expect(client.responses.inputItems.list(id, query)).rejects.toMatchObject({ status: 400 })
  })

  it('the tokens of an input are estimated with the prompt of the agent', async () => {
    const client = clientOf(await serveTeam({ cards: [PARROT] }))
    const count = async (input: string): Promise<number> =>
      (await client.responses.inputTokens.count({ model: 'Parrot', input })).input_tokens
    expect(await count('x'.repeat(400))).toBe((await count('')) + 100)
    const content = [
      { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
    ] as const
    const withMore = async (more: object): Promise<number> =>
      (await client.responses.inputTokens.count({ model: 'Parrot', input: 'a', ...more })).input_tokens
    expect(await withMore({ input: [{ role: 'user', content }] })).toBeGreaterThan(1500)
    const tool = { type: 'function', name: 'find', parameters: { type: 'object' }, strict: false }
    expect(await withMore({ tools: [tool], truncation: 'auto' })).toBeGreaterThan((await count('a')) + 10)
    await expect(withMore({ conversation: 'conv_1' })).rejects.toMatchObject({ status: 400 })
    await expect(
      client.responses.inputTokens.count({ model: 'Parrot', input: 'a', previous_response_id: 'resp_1' }),
    ).rejects.toMatchObject({ status: 400 })
  })

  it('responses of other principals do not exist for a caller', async () => {
    const tokens = [
      { token: 'token-of-ada-0001', principal: 'ada' },
      { token: 'token-of-ben-0001', principal: 'ben' },
    ]
    const slow = slowAgent()
    const team = await serveTeam({ ...slow, tokens })
    const ada = clientOf(team, 'token-of-ada-0001')
    const ben = clientOf(team, 'token-of-ben-0001')
    const { id } = await ada.responses.create({ model: 'Slow', input: 'a', background: true })
    await slow.begun
    const calls = [
      () => ben.responses.retrieve(id),
      () => ben.responses.retrieve(id, { stream: true }),
      () => ben.responses.cancel(id),
      () => ben.responses.delete(id),
      () => ben.responses.inputItems.list(id),
    ]
    for (const call of calls) await expect(call()).rejects.toMatchObject({ status: 404 })
    slow.answer()
    expect((await endOf(ada, id)).output_text).toBe('At last.')
  })

  it('the query of a stream is checked', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const client = clientOf({ url })
    const { id } = await client.responses.create({ model: 'Parrot', input: 'a' })
    for (const query of ['stream=maybe', 'stream=true&starting_after=x', 'stream=true&starting_after=-1'])
      expect((await fetch(`${url}/openai/v1/responses/${id}?${query}`)).status).toBe(400)
    const events = await allEvents(await fetch(`${url}/openai/v1/responses/${id}?stream=true&include=x`))
    expect(events.map(({ event }) => event).slice(0, 2)).toEqual(['response.created', 'response.in_progress'])
  })
})
