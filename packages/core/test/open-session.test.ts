import * as core from '@troupe/core'
import { openSession } from '@troupe/core'
import { defineTool, type RunEvent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { verifies } from '@troupe/testkit/internal'
import { createValidator } from '@troupe/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  instructions: 'Never add in your head.',
  execute: ({ a, b }) => a + b,
})

describe('openSession', () => {
  it(`openSession runs an agent from values alone, with the instructions of its tools in the system prompt ${verifies('C13', 'C30', 'C37', 'C38')}`, async () => {
    const model = scriptedModel([{ calls: [{ tool: 'add', args: { a: 1, b: 2 } }] }, { text: '3' }])
    const session = openSession({
      agent: { name: 'Adder', instruction: 'Add.' },
      model,
      tools: [add],
      validate: createValidator(),
    })
    expect(await session.run('1+2')).toMatchObject({ outcome: 'completed', text: '3' })
    expect(model.calls[0]?.prompt[0]).toEqual({ role: 'system', content: 'Add.\n\nNever add in your head.' })
  })

  it('openSession checks the arguments of tools without a validator', async () => {
    const model = scriptedModel([{ calls: [{ tool: 'add', args: { a: 'one', b: 2 } }] }, { text: 'done' }])
    const events: RunEvent[] = []
    const session = openSession({
      agent: { name: 'Adder', instruction: 'Add.' },
      model,
      tools: [add],
      onEvent: (event) => void events.push(event),
    })
    expect(await session.run('1+2')).toMatchObject({ outcome: 'completed' })
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'tool-result',
        error: expect.objectContaining({ code: 'tool_bad_arguments' }) as unknown,
      }),
    )
  })

  it.each(['v2', 'v3'])(
    'openSession refuses a model of version %s of the provider specification',
    (version) => {
      const model = { ...scriptedModel([]), specificationVersion: version } as never
      expect(() => openSession({ agent: { name: 'A', instruction: 'x' }, model })).toThrow(
        expect.objectContaining({
          code: 'model_unknown',
          message: expect.stringContaining(version) as unknown,
        }),
      )
    },
  )

  it(`openSession gives every run its own conversation ${verifies('C2')}`, async () => {
    const model = scriptedModel(() => ({ text: 'ok' }))
    const session = openSession({ agent: { name: 'A', instruction: 'x' }, model })
    await Promise.all([session.run('one'), session.run('two')])
    expect(model.calls.map((call) => call.prompt.length)).toEqual([2, 2])
  })

  it('openSession streams the events that run() drains, and ends with the result', async () => {
    const session = openSession({
      agent: { name: 'A', instruction: 'x' },
      model: scriptedModel([{ text: 'hello' }]),
    })
    const events: RunEvent[] = []
    const stream = session.stream('hi')
    let next = await stream.next()
    for (; next.done !== true; next = await stream.next()) events.push(next.value)
    expect(next.value).toMatchObject({ outcome: 'completed', text: 'hello' })
    expect(events[0]?.type).toBe('run-start')
    expect(events.at(-1)?.type).toBe('run-end')
  })

  it(`openSession lists further tools when the first run starts, once, and again after a failure ${verifies('C33')}`, async () => {
    let asked = 0
    const lister = {
      list: () => {
        asked += 1
        return asked === 1 ? Promise.reject(new TypeError('not there yet')) : Promise.resolve([add])
      },
    }
    const model = scriptedModel(() => ({ text: 'ok' }))
    const session = openSession({
      agent: { name: 'A', instruction: 'x' },
      model,
      toolListers: [lister],
      validate: createValidator(),
    })
    expect(asked).toBe(0)
    expect(await session.run('one')).toMatchObject({
      outcome: 'failed',
      failure: { message: 'not there yet' },
    })
    await session.run('two')
    await session.run('three')
    expect(asked).toBe(2)
    expect(model.calls.map((call) => call.tools)).toEqual([['add'], ['add']])
  })

  it('openSession continues from a history', async () => {
    const model = scriptedModel([{ text: 'first' }, { text: 'second' }])
    const session = openSession({ agent: { name: 'A', instruction: 'x' }, model })
    const first = await session.run('one')
    await session.run('two', { history: first.messages })
    expect(model.calls[1]?.prompt.map((message) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ])
  })

  it(`openSession gives tools the variables of its own overlay ${verifies('C3', 'C37')}`, async () => {
    const read = defineTool({
      name: 'read',
      description: 'r',
      execute: (_args, ctx) => ctx.run.env('KEY') ?? 'none',
    })
    const run = (value: string) => {
      const model = scriptedModel([{ calls: [{ tool: 'read', args: {} }] }, { text: 'ok' }])
      const session = openSession({
        agent: { name: 'A', instruction: 'x' },
        model,
        tools: [read],
        validate: createValidator(),
        envOverlay: { KEY: value },
      })
      return session.run('go').then(() => JSON.stringify(model.calls[1]?.prompt.at(-1)))
    }
    const [one, two] = await Promise.all([run('first'), run('second')])
    expect(one).toContain('first')
    expect(two).toContain('second')
  })

  it('openSession keeps the variables it was opened with, and redacts them', async () => {
    const env: { API_KEY?: string } = { API_KEY: 'sk-first-key' }
    const events: RunEvent[] = []
    const session = openSession({
      agent: { name: 'A', instruction: 'x' },
      model: scriptedModel([{ text: 'the key is sk-first-key' }]),
      envOverlay: env,
      onEvent: (event) => events.push(event),
    })
    delete env.API_KEY
    await session.run('go')
    expect(JSON.stringify(events)).not.toContain('sk-first-key')
  })

  it.each([
    ['no model', () => openSession({ agent: { name: 'A', instruction: 'x' }, model: [] }), 'model_unset'],
    [
      'no model at all',
      () => openSession({ agent: { name: 'A', instruction: 'x' } } as never),
      'model_unset',
    ],
    [
      'the id of a model',
      () => openSession({ agent: { name: 'A', instruction: 'x' }, model: 'passthrough' } as never),
      'model_unknown',
    ],
    [
      'a hook with more parameters than a hook gets',
      () =>
        openSession({
          agent: { name: 'A', instruction: 'x' },
          model: scriptedModel([]),
          hooks: [((_ctx: unknown, _args: unknown, _callNext: unknown, _more: unknown) => _more) as never],
        }),
      'hook_bad_signature',
    ],
    ['no agent', () => openSession({ model: scriptedModel([]) } as never), 'usage_invalid'],
    [
      'two tools with one name',
      () =>
        openSession({
          agent: { name: 'A', instruction: 'x' },
          model: scriptedModel([]),
          tools: [add, add],
          validate: createValidator(),
        }),
      'tool_name_conflict',
    ],
    [
      'an unknown field',
      () =>
        openSession({
          agent: { name: 'A', instruction: 'x', descripton: 'y' } as never,
          model: scriptedModel([]),
        }),
      'card_bad_value',
    ],
  ])('openSession refuses %s when it is called', (_name, make, code) => {
    expect(make).toThrow(expect.objectContaining({ code }))
  })
})

describe('the entry point', () => {
  it('the entry point exports these names', () => {
    expect(Object.keys(core).toSorted()).toEqual([
      'buildSystemPrompt',
      'capsOf',
      'carriedMessages',
      'childRunId',
      'closingAfter',
      'countProblems',
      'createAccount',
      'createApprovalGate',
      'createBudgetLedger',
      'createCancellation',
      'createDiscardingLog',
      'createEventQueue',
      'createOnceCalls',
      'createOpenRequests',
      'createPermission',
      'createProviderLimiter',
      'createResumeState',
      'createRunTreeContext',
      'createSpendingLimit',
      'decideCall',
      'embedTexts',
      'hasCap',
      'openSession',
      'passedRequest',
      'pastConversation',
      'randomId',
      'reserveClosing',
      'resultFromEnd',
      'ruleReach',
      'runLimitName',
      'runSession',
      'settleCall',
      'storedResult',
      'systemClock',
      'toStoredRequest',
      'toToolMap',
      'tooSmallFor',
    ])
  })
})
