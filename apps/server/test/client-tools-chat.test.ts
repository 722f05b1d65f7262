import { openSqliteStore } from '@troupe/store'
import { routes } from '@troupe/headends'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { tempProject } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import OpenAI from 'openai'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { coder } from './support/coder.ts'
import { PARROT, serveTeam, type ServedTeam } from './support/serve-team.ts'

type Messages = OpenAI.ChatCompletionMessageParam[]

const READ = {
  type: 'function' as const,
  function: {
    name: 'read',
    description: 'Reads a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
}
const TWO_READS = {
  text: 'I read.',
  calls: [
    { tool: 'read', args: { path: 'a' } },
    { tool: 'read', args: { path: 'b' } },
  ],
}
const QUESTION: Messages = [{ role: 'user', content: 'Read both.' }]

function clientOf({ url }: Pick<ServedTeam, 'url'>, apiKey = 'none'): OpenAI {
  return new OpenAI({ baseURL: `${url}/openai/v1`, apiKey, maxRetries: 0 })
}

function ask(
  client: OpenAI,
  messages: Messages,
  more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {},
): Promise<OpenAI.ChatCompletion> {
  return client.chat.completions.create({ model: 'Coder', messages, tools: [READ], ...more })
}

function messageOf({ choices }: OpenAI.ChatCompletion): OpenAI.ChatCompletionMessage {
  const [choice] = choices
  if (choice === undefined) throw new Error('The completion has no choice.')
  return choice.message
}

/** Returns the answer with its calls, and a result for each call. */
function answerTo(completion: OpenAI.ChatCompletion, result = (path: string) => `text of ${path}`): Messages {
  const message = messageOf(completion)
  const results = (message.tool_calls ?? []).map((call) => {
    if (call.type !== 'function') throw new Error('The call is not a function.')
    const { path = '' } = JSON.parse(call.function.arguments) as { readonly path?: string }
    return { role: 'tool' as const, tool_call_id: call.id, content: result(path) }
  })
  return [message, ...results]
}

function textOf(completion: OpenAI.ChatCompletion): unknown {
  return JSON.parse(messageOf(completion).content ?? '')
}

describe('client tools over chat completions', () => {
  it('all calls of a step go out in one answer, and the request with the results resumes the run', async () => {
    const team = coder([TWO_READS])
    const served = await serveTeam(team)
    const client = clientOf(served)
    const first = await ask(client, QUESTION)
    expect(first.choices).toEqual([
      {
        index: 0,
        finish_reason: 'tool_calls',
        logprobs: null,
        message: {
          role: 'assistant',
          content: 'I read.',
          refusal: null,
          tool_calls: ['a', 'b'].map((path) => ({
            id: expect.stringMatching(/^call_[\w-]{32,59}$/u),
            type: 'function',
            function: { name: 'read', arguments: JSON.stringify({ path }) },
          })),
        },
      },
    ])
    expect(first.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5 })
    const second = await ask(client, [...QUESTION, ...answerTo(first)])
    expect(second.choices[0]?.finish_reason).toBe('stop')
    expect(textOf(second)).toEqual(['text of a', 'text of b'])
    expect(second.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5 })
    expect(second.id).not.toBe(first.id)
    const runs = await served.store.roots({ principal: 'local' })
    expect(runs).toHaveLength(1)
  })

  it('a decision over run control cannot stand for the result of a client', async () => {
    const served = await serveTeam(coder([TWO_READS]))
    const client = clientOf(served)
    const first = await ask(client, QUESTION)
    const [run] = await served.store.roots({ principal: 'local' })
    const runId = run?.rootRunId ?? ''
    const open = (await served.store.events(runId)).flatMap((event) =>
      event.type === 'approval-request' ? event.approvalId : [],
    )
    expect(open).toHaveLength(2)
    const decided = await fetch(
      `${served.url}/api/runs/${runId}/approvals/${encodeURIComponent(open[0] ?? '')}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ decision: 'approved', values: { message: 'x', attachments: 'y' } }),
      },
    )
    expect(decided.status).toBe(404)
    expect(await decided.json()).toMatchObject({ error: { code: 'approval_unknown' } })
    const second = await ask(client, [...QUESTION, ...answerTo(first)])
    expect(textOf(second)).toEqual(['text of a', 'text of b'])
  })

  it('the model gets the tools of the client beside those of the agent', async () => {
    const team = coder([{ text: 'Done.' }])
    await ask(clientOf(await serveTeam(team)), QUESTION)
    expect(team.model.calls[0]?.options.tools).toMatchObject([
      { name: 'note' },
      { name: 'read', description: 'Reads a file.', inputSchema: READ.function.parameters },
    ])
  })

  it('a streamed answer ends with the calls in pieces', async () => {
    const client = clientOf(await serveTeam(coder([TWO_READS])))
    const stream = client.chat.completions.stream({
      model: 'Coder',
      messages: QUESTION,
      tools: [READ],
      stream_options: { include_usage: true },
    })
    const pieces: string[] = []
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta
      if (delta?.content) pieces.push(delta.content)
      for (const { index, id, function: called } of delta?.tool_calls ?? [])
        pieces.push(`${index} ${id === undefined ? '' : called?.name} ${called?.arguments}`)
    }
    expect(pieces).toEqual(['I read.', '0 read ', '0  {"path":"a"}', '1 read ', '1  {"path":"b"}'])
    const completion = await stream.finalChatCompletion()
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls')
    expect(completion.usage?.total_tokens).toBe(15)
    const second = await ask(client, [...QUESTION, ...answerTo(completion)], {})
    expect(textOf(second)).toEqual(['text of a', 'text of b'])
  })

  it('the content is null if there is no text before the calls', async () => {
    const client = clientOf(await serveTeam(coder([{ calls: TWO_READS.calls }])))
    expect(messageOf(await ask(client, QUESTION)).content).toBeNull()
  })

  it('a step with own calls runs them first, and the model gets all results in its own order', async () => {
    const calls = [
      { tool: 'read', args: { path: 'a' } },
      { tool: 'note', args: { text: 'x' } },
      { tool: 'read', args: { path: 'b' } },
    ]
    const team = coder([{ calls }])
    const client = clientOf(await serveTeam(team))
    const first = await ask(client, QUESTION)
    expect(messageOf(first).tool_calls).toHaveLength(2)
    expect(team.notes).toEqual(['x'])
    const second = await ask(client, [...QUESTION, ...answerTo(first)])
    expect(textOf(second)).toEqual(['text of a', 'noted x', 'text of b'])
    expect(team.notes).toEqual(['x'])
  })

  it('a tool of the client with the name of an own tool is offered with a prefix and called by its own name', async () => {
    const team = coder([{ calls: [{ tool: 'client__note', args: { path: 'a' } }] }])
    const client = clientOf(await serveTeam(team))
    const tools = [{ type: 'function' as const, function: { name: 'note' } }]
    const first = await ask(client, QUESTION, { tools })
    expect(team.model.calls[0]?.tools).toEqual(['note', 'client__note'])
    expect(messageOf(first).tool_calls).toMatchObject([{ function: { name: 'note' } }])
    expect(textOf(await ask(client, [...QUESTION, ...answerTo(first)], { tools }))).toEqual(['text of a'])
    expect(team.notes).toEqual([])
  })

  it('a run that waits for its client continues after a restart of the server', async () => {
    const project = await tempProject()
    onTestFinished(() => project.remove())
    const path = join(project.path, 'runs.db')
    const open = () =>
      openSqliteStore({
        path,
        clock: SYSTEM_CLOCK,
        random: Math.random,
        writer: { token: crypto.randomUUID(), pid: process.pid, host: 'here', isAlive: () => true },
      })
    const team = coder([TWO_READS])
    const firstServer = await serveTeam({ ...team, store: await open() })
    const first = await ask(clientOf(firstServer), QUESTION)
    await firstServer.server.close()
    await firstServer.host.close()
    const secondServer = await serveTeam({ ...team, store: await open() })
    const second = await ask(clientOf(secondServer), [...QUESTION, ...answerTo(first)])
    expect(textOf(second)).toEqual(['text of a', 'text of b'])
    expect(team.model.calls).toHaveLength(2)
  })

  it.each(['none', 'metadata'] as const)(
    'a run of an agent with `store: %s` waits for its client in memory',
    async (store) => {
      const team = coder([TWO_READS, TWO_READS], { store })
      const client = clientOf(await serveTeam(team))
      const first = await ask(client, QUESTION)
      const messages = [...QUESTION, ...answerTo(first)]
      const second = await ask(client, messages)
      expect(second.choices[0]?.finish_reason).toBe('tool_calls')
      const third = await ask(client, [...messages, ...answerTo(second)])
      expect(textOf(third)).toEqual(['text of a', 'text of b'])
    },
  )

  it('any number of parallel calls come back to the model in their order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ path: fc.string(), result: fc.string() }), { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        async (files, isReversed) => {
          const calls = files.map(({ path }) => ({ tool: 'read', args: { path } }))
          const client = clientOf(await serveTeam(coder([{ calls }])))
          const first = await ask(client, QUESTION)
          const [message, ...results] = answerTo(first)
          if (message === undefined) throw new Error('There is no answer.')
          const given = results.map((result, index) => ({ ...result, content: files[index]?.result ?? '' }))
          const ordered = isReversed ? given.toReversed() : given
          const second = await ask(client, [...QUESTION, message, ...(ordered as Messages)])
          expect(textOf(second)).toEqual(files.map(({ result }) => result))
        },
      ),
      { numRuns: 10 },
    )
  })

  it('a missing result is rejected, and the complete results still resume the run', async () => {
    const client = clientOf(await serveTeam(coder([TWO_READS])))
    const first = await ask(client, QUESTION)
    const messages = [...QUESTION, ...answerTo(first)]
    const missing = messageOf(first).tool_calls?.[1]?.id ?? ''
    await expect(ask(client, messages.slice(0, -1))).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message: expect.stringContaining(missing),
    })
    expect(textOf(await ask(client, messages))).toEqual(['text of a', 'text of b'])
  })

  it('a call of another principal is rejected like a call that does not exist', async () => {
    const tokens = [
      { token: 'token-of-ada-0001', principal: 'ada' },
      { token: 'token-of-ben-0001', principal: 'ben' },
    ]
    const team = coder([TWO_READS])
    const served = await serveTeam({ ...team, tokens })
    const ada = clientOf(served, 'token-of-ada-0001')
    const first = await ask(ada, QUESTION)
    const messages = [...QUESTION, ...answerTo(first)]
    const id = messageOf(first).tool_calls?.[0]?.id ?? ''
    const refusal = { status: 400, message: expect.stringContaining('waits for a result') }
    await expect(ask(clientOf(served, 'token-of-ben-0001'), messages)).rejects.toMatchObject(refusal)
    const unknown = JSON.parse(JSON.stringify(messages).replaceAll(id.slice(5, 12), '0000000')) as Messages
    await expect(ask(ada, unknown)).rejects.toMatchObject(refusal)
    expect(textOf(await ask(ada, messages))).toEqual(['text of a', 'text of b'])
    await expect(ask(ada, messages)).rejects.toMatchObject(refusal)
    expect(team.model.calls).toHaveLength(2)
  })

  it('results for a call of another agent are rejected', async () => {
    const team = coder([TWO_READS])
    const served = await serveTeam({ ...team, cards: [...team.cards, PARROT] })
    const client = clientOf(served)
    const first = await ask(client, QUESTION)
    const messages = [...QUESTION, ...answerTo(first)]
    await expect(ask(client, messages, { model: 'Parrot' })).rejects.toMatchObject({ status: 400 })
    expect(textOf(await ask(client, messages))).toEqual(['text of a', 'text of b'])
  })

  it('results that were stored before a crash resume the run when they are sent again', async () => {
    const served = await serveTeam(coder([TWO_READS]))
    const client = clientOf(served)
    const first = await ask(client, QUESTION)
    const [run] = await served.store.roots({ principal: 'local' })
    const rootRunId = run?.rootRunId ?? ''
    for (const event of await served.store.events(rootRunId))
      if (event.type === 'approval-request')
        await served.host.decide(rootRunId, event.approvalId, {
          decision: 'approved',
          values: { content: [{ type: 'text', text: 'stored' }] },
        })
    const second = await ask(client, [...QUESTION, ...answerTo(first)])
    expect(textOf(second)).toEqual(['stored', 'stored'])
  })

  it('a client that disconnects while the resumed run works cancels it', async () => {
    const team = coder([TWO_READS, { text: 'Late.', wait: new Promise(() => undefined) }])
    const served = await serveTeam(team)
    const client = clientOf(served)
    const first = await ask(client, QUESTION)
    const stop = new AbortController()
    const second = client.chat.completions.create(
      { model: 'Coder', messages: [...QUESTION, ...answerTo(first)], tools: [READ] },
      { signal: stop.signal },
    )
    await expect.poll(() => team.model.calls.length).toBe(2)
    stop.abort()
    await expect(second).rejects.toThrowError(/abort/iu)
    const [run] = await served.store.roots({ principal: 'local' })
    await expect
      .poll(async () => (await served.store.events(run?.rootRunId ?? '')).at(-1))
      .toMatchObject({ type: 'run-end', outcome: 'cancelled' })
  })

  it('a new message in place of results cancels the open calls and starts a run on the conversation', async () => {
    const team = coder([TWO_READS])
    const served = await serveTeam(team)
    const client = clientOf(served)
    const first = await ask(client, QUESTION)
    const message = messageOf(first)
    const second = await ask(client, [...QUESTION, message, { role: 'user', content: 'Stop.' }])
    expect(textOf(second)).toEqual(['Stop.'])
    const prompt = team.model.calls[1]?.prompt ?? []
    expect(prompt.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    expect(prompt[3]?.content).toMatchObject([
      { output: { value: 'The run ended before this call completed.' } },
      { output: { value: 'The run ended before this call completed.' } },
    ])
    const runs = await served.store.list({ principal: 'local', limit: 10 })
    const ends = await Promise.all(
      runs.map(async ({ rootRunId }) => (await served.store.events(rootRunId)).at(-1)),
    )
    expect(ends).toMatchObject([
      { type: 'run-end', outcome: 'completed' },
      { type: 'run-end', outcome: 'cancelled' },
    ])
    const late = [...QUESTION, ...answerTo(first)]
    await expect(ask(client, late)).rejects.toMatchObject({ status: 400 })
  })

  it('a message after the results reaches the model after them', async () => {
    const client = clientOf(await serveTeam(coder([TWO_READS])))
    const first = await ask(client, QUESTION)
    const second = await ask(client, [
      ...QUESTION,
      ...answerTo(first),
      { role: 'user', content: 'Be brief.' },
    ])
    expect(textOf(second)).toEqual(['text of a', 'text of b', 'Be brief.'])
  })

  it('a later message starts a run that knows the earlier calls and results', async () => {
    const team = coder([TWO_READS, { text: 'Done.' }])
    const client = clientOf(await serveTeam(team))
    const first = await ask(client, QUESTION)
    const messages: Messages = [...QUESTION, ...answerTo(first)]
    const second = await ask(client, messages)
    await ask(client, [...messages, messageOf(second), { role: 'user', content: 'And now?' }])
    const prompt = team.model.calls[2]?.prompt ?? []
    expect(prompt.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    expect(prompt[2]?.content).toMatchObject([
      { type: 'text', text: 'I read.' },
      { type: 'tool-call', toolName: 'read', input: { path: 'a' } },
      { type: 'tool-call', toolName: 'read', input: { path: 'b' } },
    ])
    expect(prompt[3]?.content).toMatchObject([
      { output: { value: 'text of a' } },
      { output: { value: 'text of b' } },
    ])
  })

  it('results of calls of another model become text of the user', async () => {
    const team = coder([])
    const client = clientOf(await serveTeam(team))
    const completion = await ask(client, [
      ...QUESTION,
      {
        role: 'assistant',
        tool_calls: [
          { id: 'call_of_another', type: 'function', function: { name: 'read', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_of_another', content: 'five' },
    ])
    expect(textOf(completion)).toEqual(['Result of a tool:\nfive'])
  })

  it('an answer without client tools and without a stream has no listener, so the provider may send it whole', async () => {
    const seen: boolean[] = []
    const served = await serveTeam({
      ...coder([{ text: 'Done.' }]),
      headends: [
        ({ runner }) => {
          const { run } = runner
          Object.assign(runner, {
            run: (...[agent, input, options]: Parameters<typeof run>) => {
              seen.push(options?.onEvent !== undefined)
              return run(agent, input, options)
            },
          })
          return { name: 'watch', ...routes({}, { tag: 'Watch' }) }
        },
      ],
    })
    await ask(clientOf(served), QUESTION, { tools: [] })
    expect(seen).toEqual([false])
  })

  it('a card with `clientTools: deny` gets no tools of the client', async () => {
    const team = coder([{ text: 'Done.' }], { clientTools: 'deny' })
    const client = clientOf(await serveTeam(team))
    expect(messageOf(await ask(client, QUESTION)).content).toBe('Done.')
    expect(team.model.calls[0]?.tools).toEqual(['note'])
    await expect(ask(client, QUESTION, { tool_choice: 'required' })).rejects.toMatchObject({ status: 400 })
  })

  it('a child of the agent never gets the tools of the client', async () => {
    const team = coder([{ calls: [{ tool: 'agent__Clerk', args: { text: 'x' } }] }], { agents: ['Clerk'] })
    const clerk = coder([{ text: 'Three.' }])
    const [card] = clerk.cards
    if (typeof card !== 'object') throw new Error('The card is not a definition.')
    const child = { ...clerk.model }
    const served = await serveTeam({
      ...team,
      cards: [...team.cards, { ...card, name: 'Clerk', model: ['test/clerk'] }],
      models: { ...team.models, clerk: child },
    })
    expect(textOf(await ask(clientOf(served), QUESTION))).toEqual(['Three.'])
    expect(clerk.model.calls.map(({ tools }) => tools)).toEqual([['note']])
  })

  it('a denied tool of the client is never called', async () => {
    const team = coder([TWO_READS], { permissions: { deny: ['client__read'] } })
    const client = clientOf(await serveTeam(team))
    const completion = await ask(client, QUESTION)
    expect(completion.choices[0]?.finish_reason).toBe('stop')
    expect(textOf(completion)).toHaveLength(2)
    expect(team.model.calls[0]?.tools).toEqual(['note'])
  })

  it('`tool_choice` applies until the client is called', async () => {
    const own = { calls: [{ tool: 'note', args: { text: 'x' } }] }
    const team = coder([own, TWO_READS])
    const client = clientOf(await serveTeam(team))
    const first = await ask(client, QUESTION, { tool_choice: 'required' })
    await ask(client, [...QUESTION, ...answerTo(first)])
    expect(team.model.calls.map(({ options }) => options.toolChoice)).toEqual([
      { type: 'required' },
      { type: 'required' },
      { type: 'auto' },
    ])
  })

  it('`tool_choice` of a request with results applies to the next answer', async () => {
    const team = coder([TWO_READS, TWO_READS])
    const client = clientOf(await serveTeam(team))
    const first = await ask(client, QUESTION)
    const choice = { type: 'function' as const, function: { name: 'read' } }
    const messages = [...QUESTION, ...answerTo(first)]
    const second = await ask(client, messages, { tool_choice: choice })
    await ask(client, [...messages, ...answerTo(second)])
    expect(team.model.calls.map(({ options }) => options.toolChoice)).toEqual([
      { type: 'auto' },
      { type: 'tool', toolName: 'read' },
      { type: 'auto' },
    ])
  })

  it('`tool_choice: none` offers no tool of the client, and is rejected together with results', async () => {
    const team = coder([{ text: 'Done.' }, TWO_READS])
    const client = clientOf(await serveTeam(team))
    await ask(client, QUESTION, { tool_choice: 'none' })
    expect(team.model.calls[0]?.tools).toEqual(['note'])
    const first = await ask(client, QUESTION)
    await expect(
      ask(client, [...QUESTION, ...answerTo(first)], { tool_choice: 'none' }),
    ).rejects.toMatchObject({ status: 400 })
  })

  it('`allowed_tools` offers only those', async () => {
    const team = coder([{ text: 'Done.' }])
    const client = clientOf(await serveTeam(team))
    const write = { type: 'function' as const, function: { name: 'write' } }
    await ask(client, QUESTION, {
      tools: [READ, write],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'write' } }] },
      },
    })
    expect(team.model.calls[0]?.tools).toEqual(['note', 'write'])
  })

  it('without parallel calls the client gets one call per answer', async () => {
    const team = coder([TWO_READS])
    const client = clientOf(await serveTeam(team))
    const more = { parallel_tool_calls: false }
    const first = await ask(client, QUESTION, more)
    expect(messageOf(first).tool_calls).toHaveLength(1)
    const messages = [...QUESTION, ...answerTo(first)]
    const second = await ask(client, messages, more)
    expect(messageOf(second).tool_calls).toHaveLength(1)
    expect(textOf(await ask(client, [...messages, ...answerTo(second)], more))).toEqual([
      'text of a',
      'text of b',
    ])
    expect(team.model.calls).toHaveLength(2)
  })

  it.each([
    ['an empty name', { name: '' }],
    ['a name with a space', { name: 'a b' }],
    ['a name with a dot', { name: 'read.file' }],
    ['the name of a prototype', { name: '__proto__' }],
    ['a name that is too long', { name: 'x'.repeat(65) }],
    ['a description that is too long', { name: 'a', description: 'x'.repeat(32_769) }],
    ['a schema of a text', { name: 'a', parameters: { type: 'string' } }],
    ['a schema that is a list', { name: 'a', parameters: [] }],
    ['a schema that is too large', { name: 'a', parameters: { description: 'x'.repeat(65_536) } }],
  ])('a tool with %s is rejected', async (_, called) => {
    const client = clientOf(await serveTeam(coder([])))
    const tools = [{ type: 'function', function: called }] as never
    await expect(ask(client, QUESTION, { tools })).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message: expect.stringContaining('tools'),
    })
  })

  it('too many tools, repeated names and unknown choices are rejected', async () => {
    const client = clientOf(await serveTeam(coder([])))
    const named = (name: string) => ({ type: 'function' as const, function: { name } })
    const many = Array.from({ length: 129 }, (_, index) => named(`tool${index}`))
    const rejected = [
      { tools: many },
      { tools: [READ, READ] },
      { tool_choice: named('write') },
      { tool_choice: { type: 'custom' as const, custom: { name: 'x' } } },
      { tools: [], tool_choice: 'required' as const },
    ]
    for (const more of rejected)
      await expect(ask(client, QUESTION, more)).rejects.toMatchObject({ status: 400 })
  })

  it('the hostile pattern of a schema is passed to the model and never evaluated', async () => {
    const parameters = {
      type: 'object',
      properties: { path: { type: 'string', pattern: '^(a+)+$' } },
      required: ['missing'],
      $ref: 'http://169.254.169.254/x',
    }
    const team = coder([{ calls: [{ tool: 'read', args: { path: `${'a'.repeat(40)}!` } }] }])
    const client = clientOf(await serveTeam(team))
    const tools = [{ type: 'function' as const, function: { name: 'read', parameters } }]
    const first = await ask(client, QUESTION, { tools })
    expect(messageOf(first).tool_calls).toHaveLength(1)
    expect(team.model.calls[0]?.options.tools?.[1]).toMatchObject({ inputSchema: parameters })
  })

  it('the calls of a client are not listed as approvals of people', async () => {
    const served = await serveTeam(coder([TWO_READS]))
    await ask(clientOf(served), QUESTION)
    const response = await fetch(`${served.url}/api/approvals`)
    expect(await response.json()).toEqual({ approvals: [], total: 0 })
    const [run] = await served.store.roots({ principal: 'local' })
    const view = await fetch(`${served.url}/api/runs/${run?.rootRunId ?? ''}`)
    expect(await view.json()).toMatchObject({ state: 'waiting', approvals: [] })
  })

  it('a run that waits for its client can be cancelled', async () => {
    const served = await serveTeam(coder([TWO_READS]))
    const client = clientOf(served)
    const first = await ask(client, QUESTION)
    const [run] = await served.store.roots({ principal: 'local' })
    const stopped = await fetch(`${served.url}/api/runs/${run?.rootRunId ?? ''}/stop`, { method: 'POST' })
    expect(await stopped.json()).toMatchObject({ state: 'cancelled' })
    await expect(ask(client, [...QUESTION, ...answerTo(first)])).rejects.toMatchObject({ status: 400 })
  })
})
