import { HttpAgent, type Message, type Tool } from '@ag-ui/client'
import { defineTool } from '@troupe/schema'
import { z } from 'zod'
import { describe, expect, it } from 'vitest'
import { coder, type CoderTeam } from './support/coder.ts'
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

describe('client tools over AG-UI', () => {
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
