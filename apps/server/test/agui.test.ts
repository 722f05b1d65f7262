import { HttpAgent, type Interrupt, type ResumeEntry } from '@ag-ui/client'
import { failure, TroupeError } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { oneAgent } from './support/one-agent.ts'
import { sender } from './support/sender.ts'
import { leadAndClerk, PARROT, serveTeam, type ServedTeam, type TeamToServe } from './support/serve-team.ts'
import { slowAgent } from './support/slow-agent.ts'

/** An event with all fields it may have. */
type Seen = Readonly<Record<string, unknown>> & { readonly type: string }

/** Connects the client of AG-UI, which rejects events that violate their schema or are out of order. */
async function connect(
  team: TeamToServe,
  name: string,
): Promise<{
  readonly team: ServedTeam
  readonly agent: HttpAgent
  ask(text: string): Promise<readonly Seen[]>
  resume(answers: readonly ResumeEntry[]): Promise<readonly Seen[]>
}> {
  const served = await serveTeam(team)
  const agent = new HttpAgent({ url: `${served.url}/agui/${name}`, threadId: 'thread' })
  const run = async (options: Parameters<HttpAgent['runAgent']>[0]): Promise<readonly Seen[]> => {
    const events: Seen[] = []
    await agent.runAgent(options, { onEvent: ({ event }) => void events.push(event) })
    return events
  }
  return {
    team: served,
    agent,
    ask(text) {
      agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: text })
      return run({})
    },
    resume: (answers) => run({ resume: [...answers] }),
  }
}

function types(events: readonly Seen[]): readonly string[] {
  return events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])
}

function interruptsOf(events: readonly Seen[]): readonly Interrupt[] {
  const outcome = events.at(-1)?.['outcome'] as { readonly interrupts?: readonly Interrupt[] } | undefined
  return outcome?.interrupts ?? []
}

describe('AG-UI', () => {
  it(`an AG-UI client sees a child run as a subagent inside the call that started it ${verifies('C68')}`, async () => {
    const { agent, ask } = await connect(leadAndClerk(), 'Lead')
    const events = await ask('How many?')
    expect(types(events)).toEqual([
      'RUN_STARTED',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'SUBAGENT_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'SUBAGENT_FINISHED',
      'TOOL_CALL_RESULT',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ])
    const find = (type: string) => events.find((event) => event.type === type)
    const call = find('TOOL_CALL_START')
    expect(call).toMatchObject({ toolCallName: 'agent__Clerk' })
    const child = find('SUBAGENT_STARTED')
    expect(child).toMatchObject({ name: 'Clerk', parentToolCallId: call?.['toolCallId'] })
    const text = find('TEXT_MESSAGE_START')
    expect(text?.['subagentRunId']).toBe(child?.['subagentRunId'])
    expect(find('SUBAGENT_FINISHED')).toMatchObject({ result: '3', outcome: { type: 'success' } })
    expect(events.at(-1)).toMatchObject({
      outcome: { type: 'success' },
      result: { outcome: 'completed', output: { text: 'There are 3.' } },
      usage: [{ inputTokens: 10 }, { inputTokens: 20 }].toReversed(),
    })
    const said = agent.messages.filter(({ role }) => role === 'assistant')
    expect(said.map(({ content }) => content).filter((content) => content !== undefined)).toEqual([
      '3',
      'There are 3.',
    ])
  })

  it('an AG-UI client keeps the conversation, and messages of subagents are not part of it', async () => {
    const { agent, ask } = await connect(
      oneAgent((said) => ({ text: said.slice(1).join('\n') })),
      'One',
    )
    await ask('a')
    agent.addMessage({ id: 'x', role: 'assistant', content: 'of a child', subagentRunId: 'c' })
    const events = await ask('b')
    expect(events.at(-1)).toMatchObject({
      result: { output: { text: 'user: a\nassistant: user: a\nuser: b' } },
    })
  })

  it('a call that needs an approval interrupts the run, which continues with the decision', async () => {
    const team = sender()
    const { ask, resume } = await connect(team, 'Sender')
    const [asked, ...others] = interruptsOf(await ask('Hi'))
    expect(others).toEqual([])
    expect(asked).toMatchObject({
      reason: 'tool_approval',
      message: 'Sender wants to call send.',
      metadata: { toolName: 'send', args: { to: 'Ada' } },
    })
    expect(team.sent).toEqual([])
    const interruptId = asked?.id ?? ''
    const events = await resume([{ interruptId, status: 'resolved', payload: { decision: 'approved' } }])
    expect(types(events)).toEqual([
      'RUN_STARTED',
      'TOOL_CALL_RESULT',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ])
    expect(team.sent).toEqual(['"Ada"'])
  })

  it.each([
    { status: 'cancelled' },
    { status: 'resolved', payload: { decision: 'denied' } },
    { status: 'resolved', payload: 'perhaps' },
  ] as const)('an unclear approval denies the call: %j', async (answer) => {
    const team = sender()
    const { ask, resume } = await connect(team, 'Sender')
    const [asked] = interruptsOf(await ask('Hi'))
    const events = await resume([{ interruptId: asked?.id ?? '', ...answer }])
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
    expect(team.sent).toEqual([])
  })

  it('an AG-UI client gets the error code of a failed run', async () => {
    const error = new TroupeError(failure('model_refused', 'No.'))
    const { ask } = await connect(
      oneAgent(() => ({ error })),
      'One',
    )
    expect((await ask('Hi')).at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'model_refused' })
  })

  it('a disconnect of the AG-UI client cancels the run', async () => {
    const slow = slowAgent()
    const { agent, ask } = await connect(slow, 'Slow')
    const left = ask('Hi')
    await slow.begun
    agent.abortRun()
    await slow.stopped
    expect((await left).map(({ type }) => type)).not.toContain('RUN_FINISHED')
  })
})

it('an AG-UI request that cannot be handled gets an error status', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const post = async (name: string, body: object) => {
    const response = await fetch(`${url}/agui/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return [response.status, await response.json()] as const
  }
  const run = { threadId: 't', runId: 'r', messages: [{ id: '1', role: 'user', content: 'Hi' }] }
  const resume = [{ interruptId: 'none', status: 'cancelled' }]
  const image = { type: 'image', source: { type: 'url', value: 'http://169.254.169.254/x.png' } }
  expect(await post('Nobody', run)).toMatchObject([404, { error: { code: 'agent_unknown' } }])
  expect(await post('Parrot', {})).toMatchObject([400, { error: { code: 'request_invalid' } }])
  expect(await post('Parrot', { ...run, resume })).toMatchObject([
    404,
    { error: { code: 'approval_unknown' } },
  ])
  expect(
    await post('Parrot', { ...run, messages: [{ id: '1', role: 'user', content: [image] }] }),
  ).toMatchObject([400, { error: { code: 'request_invalid' } }])
})
