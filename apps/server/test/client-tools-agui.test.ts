import { HttpAgent, type Message, type Tool } from '@ag-ui/client'
import { defineTool, type JsonObject } from '@troupe/schema'
import { z } from 'zod'
import { describe, expect, it } from 'vitest'
import { coder, resultsOf, type CoderTeam } from './support/coder.ts'
import { serveTeam } from './support/serve-team.ts'

/** An event with all fields it may have. */
type Seen = Readonly<Record<string, unknown>> & { readonly type: string }

const READ: Tool = {
  name: 'read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
}
const TWO_READS = {
  text: 'I read.',
  calls: [
    { tool: 'read', args: { path: 'a' } },
    { tool: 'read', args: { path: 'b' } },
  ],
}

async function connect(team: CoderTeam) {
  const served = await serveTeam(team)
  const agent = new HttpAgent({ url: `${served.url}/agui/Coder`, threadId: 'thread' })
  const run = async (options: Parameters<HttpAgent['runAgent']>[0] = {}): Promise<readonly Seen[]> => {
    const events: Seen[] = []
    await agent.runAgent({ tools: [READ], ...options }, { onEvent: ({ event }) => void events.push(event) })
    return events
  }
  const say = (content: string): void => agent.addMessage({ id: crypto.randomUUID(), role: 'user', content })
  return { served, agent, run, say }
}

/** Returns the calls without a result in the messages of the client. */
function openCalls({ messages }: HttpAgent): readonly { readonly id: string; readonly path: string }[] {
  const answered = new Set(messages.flatMap((message) => (message.role === 'tool' ? message.toolCallId : [])))
  return messages
    .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
    .filter(({ id }) => !answered.has(id))
    .map(({ id, function: { arguments: args } }) => ({
      id,
      ...(JSON.parse(args) as { readonly path: string }),
    }))
}

function addResults(agent: HttpAgent): void {
  for (const { id, path } of openCalls(agent)) {
    const result: Message = {
      id: crypto.randomUUID(),
      role: 'tool',
      toolCallId: id,
      content: `text of ${path}`,
    }
    agent.addMessage(result)
  }
}

function typesOf(events: readonly Seen[]): readonly string[] {
  return events.map(({ type }) => type)
}

const CALL = ['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END']
const TEXT = ['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END']

function systemOf({ model }: CoderTeam, call: number): string {
  const [first] = model.calls[call]?.prompt ?? []
  return first?.role === 'system' ? first.content : ''
}

const PLAN = { title: 'Week', days: ['Monday'] }

function update(args: JsonObject) {
  return { calls: [{ tool: 'update_shared_state', args }] }
}

describe('shared state over AG-UI', () => {
  it.each(['full', 'none'] as const)(
    'the agent sees the state and changes it in the same request (store: %s)',
    async (store) => {
      const patch = [
        { op: 'add', path: '/days/-', value: 'Tuesday' },
        { op: 'replace', path: '/title', value: 'Two days' },
      ]
      const team = coder([update({ patch }), update({ value: { title: 'Done' } })], { store })
      const { agent, run, say } = await connect(team)
      agent.setState(PLAN)
      say('Plan.')
      const events = await run()
      expect(typesOf(events)).toEqual([
        'RUN_STARTED',
        'STATE_SNAPSHOT',
        'STATE_DELTA',
        'STATE_SNAPSHOT',
        ...TEXT,
        'RUN_FINISHED',
      ])
      // clients that store only events need the state that the patch applies to
      expect(events.slice(1, 4)).toMatchObject([
        { snapshot: PLAN },
        { delta: patch },
        { snapshot: { title: 'Done' } },
      ])
      expect(events.at(-1)).toMatchObject({
        result: { output: { text: '["The state is updated."]' } },
        usage: [{ inputTokens: 30 }],
      })
      expect(agent.state).toEqual({ title: 'Done' })
      expect(systemOf(team, 0)).toMatch(/^Code\.[^]*\{"title":"Week","days":\["Monday"\]\}$/u)
    },
  )

  it('patches build on each other, and one that does not apply changes nothing', async () => {
    const team = coder([
      update({ patch: [{ op: 'add', path: '/days/-', value: 'Tuesday' }] }),
      update({
        patch: [
          { op: 'remove', path: '/days' },
          { op: 'remove', path: '/nothing' },
        ],
      }),
      update({ patch: [{ op: 'replace', path: '/days/1', value: 'Friday' }] }),
      update({ value: 'x'.repeat(65_535) }),
      update({ value: 1, patch: [] }),
    ])
    const { agent, run, say } = await connect(team)
    agent.setState(PLAN)
    say('Plan.')
    const events = await run()
    expect(typesOf(events).filter((type) => type.startsWith('STATE'))).toEqual([
      'STATE_SNAPSHOT',
      'STATE_DELTA',
      'STATE_DELTA',
    ])
    expect(agent.state).toEqual({ title: 'Week', days: ['Monday', 'Friday'] })
    const results = team.model.calls.slice(1).map(({ prompt }) => JSON.stringify(resultsOf(prompt)))
    expect(results).toEqual([
      expect.stringContaining('The state is updated.'),
      expect.stringContaining('remove /nothing'),
      expect.stringContaining('The state is updated.'),
      expect.stringContaining('65536'),
      expect.stringContaining('patch'),
    ])
  })

  it.each(['full', 'none'] as const)(
    'a step may change the state and call the client, and the next request brings the latest state (store: %s)',
    async (store) => {
      const calls = [...update({ value: { title: 'Next' } }).calls, ...TWO_READS.calls]
      const team = coder([{ calls }], { store })
      const { agent, run, say } = await connect(team)
      agent.setState(PLAN)
      say('Plan.')
      const first = await run()
      expect(typesOf(first)).toEqual(['RUN_STARTED', ...CALL, ...CALL, 'STATE_SNAPSHOT', 'RUN_FINISHED'])
      expect(agent.state).toEqual({ title: 'Next' })
      agent.setState({ title: 'Of the user' })
      addResults(agent)
      expect((await run()).at(-1)).toMatchObject({
        result: { output: { text: '["The state is updated.","text of a","text of b"]' } },
      })
      expect(systemOf(team, 1)).toMatch(/\{"title":"Of the user"\}$/u)
      expect(systemOf(team, 1)).not.toContain('Week')
    },
  )

  it('a client without a state gets no tool to change it', async () => {
    const team = coder([{ text: 'Done.' }])
    const { run, say } = await connect(team)
    say('Hi')
    await run()
    expect(team.model.calls[0]?.tools).toEqual(['note', 'read'])
    expect(systemOf(team, 0)).toBe('Code.')
  })

  it('a card with `clientTools: deny` sees the state and cannot change it', async () => {
    const team = coder([{ text: 'Done.' }], { clientTools: 'deny' })
    const { agent, run, say } = await connect(team)
    agent.setState(PLAN)
    say('Hi')
    await run()
    expect(team.model.calls[0]?.tools).toEqual(['note'])
    expect(systemOf(team, 0)).toContain('"Monday"')
  })

  it('a permission rule of the card can forbid changes of the state', async () => {
    const team = coder([update({ value: 1 })], { permissions: { deny: ['client__update_shared_state'] } })
    const { agent, run, say } = await connect(team)
    agent.setState(PLAN)
    say('Hi')
    expect(typesOf(await run())).not.toContain('STATE_SNAPSHOT')
    expect(agent.state).toEqual(PLAN)
  })

  it.each([
    ['a state of more than 65,536 characters', { state: { text: 'x'.repeat(65_536) } }, 'state'],
    [
      'a tool with the name of the one that changes the state',
      { tools: [{ ...READ, name: 'update_shared_state' }] },
      'tools.0',
    ],
  ])('%s is rejected', async (_, fields, place) => {
    const { url } = await serveTeam(coder([]))
    const answer = await fetch(`${url}/agui/Coder`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        threadId: '1',
        runId: '1',
        messages: [{ id: '1', role: 'user', content: 'Hi' }],
        ...fields,
      }),
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: { code: 'request_invalid', message: expect.stringContaining(place) },
    })
  })
})

describe('client tools over AG-UI', () => {
  it('system messages and context are system text after the prompt of the agent', async () => {
    const team = coder([TWO_READS])
    const { agent, run, say } = await connect(team)
    agent.addMessage({ id: 'developer', role: 'developer', content: 'Be brief.' })
    say('Read both.')
    await run({ context: [{ description: 'City', value: 'Oslo' }] })
    addResults(agent)
    await run({ context: [{ description: 'City', value: 'Rome' }] })
    expect(systemOf(team, 0)).toMatch(/^Code\.[^]*\n\nBe brief\.\n\nCity: Oslo$/u)
    expect(systemOf(team, 1)).toMatch(/^Code\.[^]*\n\nBe brief\.\n\nCity: Rome$/u)
    expect(team.model.calls[0]?.prompt[1]?.content).toMatchObject([{ text: 'Read both.' }])
  })

  it.each(['full', 'none'] as const)(
    'calls have no result and end the request, and the results resume the run (store: %s)',
    async (store) => {
      const { agent, run, say } = await connect(coder([TWO_READS], { store }))
      say('Read both.')
      const first = await run()
      expect(typesOf(first)).toEqual(['RUN_STARTED', ...TEXT, ...CALL, ...CALL, 'RUN_FINISHED'])
      expect(first.at(-1)).toMatchObject({ outcome: { type: 'success' } })
      expect(first.find(({ type }) => type === 'TOOL_CALL_START')).toMatchObject({ toolCallName: 'read' })
      addResults(agent)
      const second = await run()
      expect(typesOf(second)).toEqual(['RUN_STARTED', ...TEXT, 'RUN_FINISHED'])
      expect(second.at(-1)).toMatchObject({
        result: { output: { text: '["text of a","text of b"]' } },
        usage: [{ inputTokens: 10 }],
      })
      expect(second[0]).toMatchObject({ metadata: first[0]?.['metadata'] })
    },
  )

  it('an own call of the agent has its result in the same request', async () => {
    const calls = [{ tool: 'note', args: { text: 'x' } }, ...TWO_READS.calls]
    const team = coder([{ calls }])
    const { agent, run, say } = await connect(team)
    say('Read both.')
    const events = await run()
    expect(typesOf(events).filter((type) => type === 'TOOL_CALL_RESULT')).toHaveLength(1)
    expect(team.notes).toEqual(['x'])
    addResults(agent)
    expect((await run()).at(-1)).toMatchObject({
      result: { output: { text: '["noted x","text of a","text of b"]' } },
    })
  })

  it('the oldest of more than 32 runs that wait in memory is cancelled', async () => {
    const team = coder(
      Array.from({ length: 33 }, () => TWO_READS),
      { store: 'none' },
    )
    const { served } = await connect(team)
    const threads: HttpAgent[] = []
    for (let index = 0; index < 33; index += 1) {
      const agent = new HttpAgent({ url: `${served.url}/agui/Coder`, threadId: `thread ${index}` })
      agent.addMessage({ id: '1', role: 'user', content: 'Read both.' })
      await agent.runAgent({ tools: [READ] })
      addResults(agent)
      threads.push(agent)
    }
    const statuses: number[] = []
    for (const { url, threadId, messages } of [threads[0], threads[1]].flatMap((agent) => agent ?? [])) {
      const { status } = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ threadId, runId: '2', messages, tools: [READ] }),
      })
      statuses.push(status)
    }
    expect(statuses).toEqual([400, 200])
  })

  it('a missing result is rejected', async () => {
    const { agent, run, say, served } = await connect(coder([TWO_READS]))
    say('Read both.')
    await run()
    const [call] = openCalls(agent)
    agent.addMessage({ id: 'x', role: 'tool', toolCallId: call?.id ?? '', content: 'text' })
    const answer = await fetch(`${served.url}/agui/Coder`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ threadId: 'thread', runId: '2', messages: agent.messages, tools: [READ] }),
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { code: 'request_invalid' } })
    agent.setMessages(agent.messages.filter(({ id }) => id !== 'x'))
    addResults(agent)
    expect((await run()).at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
  })

  it('a new message in place of results cancels the run', async () => {
    const { run, say, served } = await connect(coder([TWO_READS]))
    say('Read both.')
    await run()
    say('Stop.')
    expect((await run()).at(-1)).toMatchObject({ result: { output: { text: '["Stop."]' } } })
    const runs = await served.store.list({ principal: 'local', limit: 10 })
    expect(runs).toHaveLength(2)
    const [, first] = runs
    expect((await served.store.events(first?.rootRunId ?? '')).at(-1)).toMatchObject({ outcome: 'cancelled' })
  })

  it('an approval of a step is answered before the calls of the client', async () => {
    const sent: string[] = []
    const send = defineTool({
      name: 'send',
      description: 'Sends.',
      input: z.object({ to: z.string() }),
      effect: 'once',
      requiresApproval: true,
      execute({ to }) {
        sent.push(to)
        return 'sent'
      },
    })
    const calls = [
      { tool: 'send', args: { to: 'Ada' } },
      { tool: 'read', args: { path: 'a' } },
    ]
    const { agent, run, say } = await connect(coder([{ calls }], { functionTools: [send] }))
    say('Send.')
    const outcome = (await run()).at(-1)?.['outcome'] as {
      readonly interrupts: readonly { readonly id: string }[]
    }
    const [interrupt] = outcome.interrupts
    const resumed = await run({
      resume: [{ interruptId: interrupt?.id ?? '', status: 'resolved', payload: { decision: 'approved' } }],
    })
    expect(sent).toEqual(['Ada'])
    expect(typesOf(resumed)).toEqual(['RUN_STARTED', 'TOOL_CALL_RESULT', ...CALL, 'RUN_FINISHED'])
    addResults(agent)
    expect((await run()).at(-1)).toMatchObject({ result: { output: { text: '["sent","text of a"]' } } })
    expect(sent).toEqual(['Ada'])
  })

  it('a card with `clientTools: deny` gets no tools of the client', async () => {
    const team = coder([{ text: 'Done.' }], { clientTools: 'deny' })
    const { run, say } = await connect(team)
    say('Hi')
    await run()
    expect(team.model.calls[0]?.tools).toEqual(['note'])
  })
})
