import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { coder } from './support/coder.ts'
import { allEvents } from './support/read-events.ts'
import { serveTeam, type ServedTeam } from './support/serve-team.ts'

type Input = OpenAI.Responses.ResponseInput
type Call = OpenAI.Responses.ResponseFunctionToolCall

const READ = {
  type: 'function' as const,
  name: 'read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
  strict: false,
}
const TWO_READS = {
  calls: [
    { tool: 'read', args: { path: 'a' } },
    { tool: 'read', args: { path: 'b' } },
  ],
}
const QUESTION: Input = [{ role: 'user', content: 'Read both.' }]

function clientOf({ url }: ServedTeam): OpenAI {
  return new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: 'none', maxRetries: 0 })
}

function callsOf({ output }: Pick<OpenAI.Responses.Response, 'output'>): readonly Call[] {
  return output.filter((item) => item.type === 'function_call')
}

function resultsFor(calls: readonly Call[]): Input {
  return calls.map(({ call_id, arguments: args }) => {
    const { path = '' } = JSON.parse(args) as { readonly path?: string }
    return { type: 'function_call_output', call_id, output: `text of ${path}` }
  })
}

describe('client tools over the Responses API', () => {
  it('calls go out as items, and the whole history with the outputs resumes the run', async () => {
    const client = clientOf(await serveTeam(coder([TWO_READS])))
    const ask = (input: Input) =>
      client.responses.create({ model: 'Coder', input, tools: [READ], store: false })
    const first = await ask(QUESTION)
    expect(first.output).toEqual(
      ['a', 'b'].map((path) => ({
        id: expect.stringMatching(/^fc_/u),
        type: 'function_call',
        status: 'completed',
        call_id: expect.stringMatching(/^call_[\w-]{32,59}$/u),
        name: 'read',
        arguments: JSON.stringify({ path }),
      })),
    )
    expect(first).toMatchObject({ status: 'completed', tools: [READ], tool_choice: 'auto' })
    const second = await ask([...QUESTION, ...(first.output as Input), ...resultsFor(callsOf(first))])
    expect(JSON.parse(second.output_text)).toEqual(['text of a', 'text of b'])
    expect(second.id).not.toBe(first.id)
  })

  it('outputs alone resume the run of an earlier response, and a new message continues its conversation', async () => {
    const team = coder([TWO_READS, { text: 'Read.' }])
    const client = clientOf(await serveTeam(team))
    const ask = (input: Input, previous?: string) =>
      client.responses.create({
        model: 'Coder',
        input,
        tools: [READ],
        ...(previous === undefined ? {} : { previous_response_id: previous }),
      })
    const first = await ask(QUESTION)
    const second = await ask(resultsFor(callsOf(first)), first.id)
    expect(second.output_text).toBe('Read.')
    await ask([{ role: 'user', content: 'And now?' }], second.id)
    expect(team.model.calls[2]?.prompt.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
  })

  it('a new message after an earlier response cancels its open calls', async () => {
    const client = clientOf(await serveTeam(coder([TWO_READS])))
    const first = await client.responses.create({ model: 'Coder', input: QUESTION, tools: [READ] })
    const second = await client.responses.create({
      model: 'Coder',
      input: 'Stop.',
      tools: [READ],
      previous_response_id: first.id,
    })
    expect(JSON.parse(second.output_text)).toEqual(['Stop.'])
  })

  it('calls and outputs may alternate in the history', async () => {
    const client = clientOf(await serveTeam(coder([TWO_READS])))
    const first = await client.responses.create({ model: 'Coder', input: QUESTION, tools: [READ] })
    const [one, two] = callsOf(first)
    if (one === undefined || two === undefined) throw new Error('There are no calls.')
    const input = [...QUESTION, one, ...resultsFor([one]), two, ...resultsFor([two])]
    const second = await client.responses.create({ model: 'Coder', input, tools: [READ] })
    expect(JSON.parse(second.output_text)).toEqual(['text of a', 'text of b'])
  })

  it('a stream has the events of each call in order and no message without text', async () => {
    const { url } = await serveTeam(coder([TWO_READS]))
    const answer = await fetch(`${url}/openai/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'Coder', input: 'Read.', tools: [READ], stream: true }),
    })
    const events = await allEvents(answer)
    const ofCall = [
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
    ]
    expect(events.map(({ event }) => event)).toEqual([
      'response.created',
      'response.in_progress',
      ...ofCall,
      ...ofCall,
      'response.completed',
    ])
    const data = events.map((event) => event.data as Record<string, unknown>)
    expect(data.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index))
    expect(data.map(({ output_index: index }) => index).filter((index) => index !== undefined)).toEqual([
      0, 0, 0, 0, 1, 1, 1, 1,
    ])
    expect(data[2]).toMatchObject({ item: { type: 'function_call', status: 'in_progress', arguments: '' } })
    expect(data.at(-1)).toMatchObject({ response: { output: [{ name: 'read' }, { name: 'read' }] } })
  })

  it('the official client reads a stream with text and calls', async () => {
    const client = clientOf(await serveTeam(coder([{ text: 'I read.', ...TWO_READS }])))
    const stream = client.responses.stream({ model: 'Coder', input: 'Read.', tools: [READ] })
    const final = await stream.finalResponse()
    expect(final.output.map(({ type }) => type)).toEqual(['message', 'function_call', 'function_call'])
    expect(final.output_text).toBe('I read.')
  })

  it('a namespace is offered tool by tool, and a call has the name and the namespace', async () => {
    const team = coder([{ calls: [{ tool: 'files__read', args: { path: 'a' } }] }])
    const client = clientOf(await serveTeam(team))
    const tools = [
      { type: 'namespace', name: 'files', description: 'Files.', tools: [READ] },
      { type: 'web_search' },
    ] as never
    const ask = (input: Input) => client.responses.create({ model: 'Coder', input, tools })
    const first = await ask(QUESTION)
    expect(team.model.calls[0]?.tools).toEqual(['note', 'files__read'])
    expect(first.output).toMatchObject([{ name: 'read', namespace: 'files' }])
    const second = await ask([...QUESTION, ...(first.output as Input), ...resultsFor(callsOf(first))])
    expect(JSON.parse(second.output_text)).toEqual(['text of a'])
  })

  it('a picture in an output reaches the model', async () => {
    const client = clientOf(await serveTeam(coder([{ calls: [{ tool: 'read', args: {} }] }])))
    const first = await client.responses.create({ model: 'Coder', input: QUESTION, tools: [READ] })
    const second = await client.responses.create({
      model: 'Coder',
      tools: [READ],
      input: callsOf(first).map(({ call_id }) => ({
        type: 'function_call_output',
        call_id,
        output: [
          { type: 'input_text', text: 'Look' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
        ],
      })),
    })
    expect(JSON.parse(second.output_text)).toMatchObject([[{ text: 'Look' }, { mediaType: 'image/png' }]])
  })

  it.each([
    ['a missing output', (calls: readonly Call[]) => resultsFor(calls.slice(1))],
    [
      'an output of no call',
      () => resultsFor([{ call_id: `call_${'0'.repeat(32)}_1-1-1`, arguments: '{}' } as Call]),
    ],
    [
      'a picture to fetch',
      (calls: readonly Call[]): Input =>
        calls.map(({ call_id }) => ({
          type: 'function_call_output',
          call_id,
          output: [{ type: 'input_image', image_url: 'http://169.254.169.254/x.png', detail: 'auto' }],
        })),
    ],
  ])('%s is rejected', async (_, results) => {
    const client = clientOf(await serveTeam(coder([TWO_READS])))
    const first = await client.responses.create({ model: 'Coder', input: QUESTION, tools: [READ] })
    await expect(
      client.responses.create({ model: 'Coder', input: results(callsOf(first)), tools: [READ] }),
    ).rejects.toMatchObject({ status: 400 })
  })

  it('`tool_choice` names a function, and other kinds are rejected', async () => {
    const team = coder([TWO_READS])
    const client = clientOf(await serveTeam(team))
    const ask = (tool_choice: OpenAI.Responses.ResponseCreateParams['tool_choice']) =>
      client.responses.create({
        model: 'Coder',
        input: 'Read.',
        tools: [READ],
        ...(tool_choice && { tool_choice }),
      })
    await ask({ type: 'function', name: 'read' })
    expect(team.model.calls[0]?.options.toolChoice).toEqual({ type: 'tool', toolName: 'read' })
    for (const choice of [
      { type: 'web_search_preview' as const },
      { type: 'function' as const, name: 'write' },
    ])
      await expect(ask(choice)).rejects.toMatchObject({ status: 400 })
  })
})
