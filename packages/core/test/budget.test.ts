import { APICallError } from '@ai-sdk/provider'
import { scriptedModel } from '@troupe/testkit'
import { deferred, recordEvents, settle, verifies } from '@troupe/testkit/internal'
import { toolResult } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { runTeam, tool } from './team.ts'

/** One micro-USD per token, for input and output. */
const PRICE = { input: 1_000_000, output: 1_000_000 }
const call = (child: string, text = 'go') => ({ tool: `agent__${child}`, args: { text } })
const note = tool('note', () => toolResult.text('noted'))

describe('a budget', () => {
  it('an unset budget changes nothing about a call', async () => {
    const model = scriptedModel([{ text: 'x' }])
    await runTeam({ A: { models: [model] } })
    expect(model.calls[0]?.options.maxOutputTokens).toBeUndefined()
  })

  it(`a budget refuses a first call that it cannot pay and names the limit, its file and how to raise it ${verifies('C51', 'R6')}`, async () => {
    const model = scriptedModel([])
    const record = recordEvents()
    const result = await runTeam(
      { A: { fields: { limits: { maxCost: 0.0001 } }, models: [model], price: PRICE } },
      { listener: record.listener },
    )
    expect(model.calls).toHaveLength(0)
    expect(result).toMatchObject({ outcome: 'budget', failure: { class: 'budget', code: 'budget_exceeded' } })
    expect(result.failure?.message).toMatch(
      /0 of 0\.0001 USD have been used \(limits\.maxCost in .+?\)\. The/u,
    )
    expect(result.failure?.remediation).toMatch(/^Raise limits\.maxCost in .+ to at least 0\.\d+\.$/u)
    expect(record.of('budget')).toMatchObject([{ kind: 'cost', used: 0, cap: 0.0001 }])
    expect(record.of('run-end')).toHaveLength(1)
  })

  it('a budget that refuses a call says what the call needs, and the smallest limit it names allows the call', async () => {
    const runUnder = (maxTokens: number) => {
      const model = scriptedModel([{ text: 'x', usage: { input: 10, output: 5 } }])
      return runTeam({ A: { fields: { limits: { maxTokens } }, models: [model] } })
    }
    const refused = await runUnder(50)
    const said =
      /The next call may use up to (?<most>\d+) tokens \(prompt (?<prompt>\d+) \+ output 8192\); it needs at least (?<least>\d+)\.$/u
    const { most, prompt, least } = said.exec(refused.failure?.message ?? '')?.groups ?? {}
    expect(Number(most)).toBe(Number(prompt) + 8192)
    expect(Number(least)).toBe(Number(prompt) + 64)
    expect(refused.failure?.remediation).toMatch(new RegExp(`^Raise .+ to at least ${least}\\.$`, 'u'))
    expect(await runUnder(Number(least) - 1)).toMatchObject({ outcome: 'budget' })
    expect(await runUnder(Number(least))).toMatchObject({ outcome: 'completed' })
  })

  it('the budget of the caller applies beside that of the card and is named in the refusal', async () => {
    const team = { A: { fields: { limits: { maxTokens: 9000 } }, models: [scriptedModel([])] } }
    const result = await runTeam(team, { budget: { maxTokens: 50 } })
    expect(result.failure?.message).toContain('budget.maxTokens of the run (--max-tokens)')
  })

  it(`an answer without usage counts at most what its call reserved, even if the provider counted few tokens before ${verifies('C51')}`, async () => {
    const model = scriptedModel([
      { calls: [{ tool: 'note', args: {} }], usage: { input: 20, output: 5 } },
      { text: 'long '.repeat(200), usage: null },
    ])
    const record = recordEvents()
    const fields = { maxOutputTokens: 64, limits: { maxTokens: 6000 } }
    const team = { A: { fields, models: [model], tools: [note] } }
    const { usage } = await runTeam(team, { listener: record.listener, input: 'word '.repeat(1000) })
    const [, estimated] = record.of('usage')
    // the second call adds little to the 25 tokens that the provider counted for a prompt of 5,000 characters
    expect(estimated?.tokens).toMatchObject({ estimated: 1, output: 64 })
    expect(estimated?.tokens.input).toBeGreaterThan(25)
    expect(estimated?.tokens.input).toBeLessThan(500)
    expect(usage).toMatchObject({ estimated: 1, output: 69 })
  })

  it('a budget lowers the output token limit to what can be paid, in the request and in an event', async () => {
    const model = scriptedModel([{ text: 'x', usage: { input: 50, output: 5 } }])
    const record = recordEvents()
    const result = await runTeam(
      { A: { fields: { limits: { maxTokens: 1000 } }, models: [model] } },
      { listener: record.listener },
    )
    const allowed = model.calls[0]?.options.maxOutputTokens ?? 0
    expect(allowed).toBeGreaterThan(800)
    expect(allowed).toBeLessThan(1000)
    expect(record.of('budget')).toMatchObject([{ kind: 'tokens', used: 0, cap: 1000 }])
    expect(result.outcome).toBe('completed')
  })

  it('a partial answer names the budget that cut it as its reason', async () => {
    const model = scriptedModel([{ text: 'half', finish: 'length', usage: { input: 50, output: 500 } }])
    const result = await runTeam({ A: { fields: { limits: { maxTokens: 1000 } }, models: [model] } })
    expect(result).toMatchObject({ outcome: 'partial', text: 'half', failure: { code: 'budget_exceeded' } })
  })

  it(`a budget that runs out mid-way still pays for a closing turn without tools if it fits ${verifies('C52')}`, async () => {
    const model = scriptedModel((_prompt, { index, options }) =>
      options.toolChoice?.type === 'none'
        ? { text: 'what I know' }
        : { calls: [{ tool: `agent__B`, args: { text: 'go' } }], usage: { input: 400, output: 100 + index } },
    )
    const record = recordEvents()
    const result = await runTeam(
      {
        A: {
          fields: { limits: { maxTokens: 6000, maxTurns: 50 }, maxOutputTokens: 2000 },
          models: [model],
          children: ['B'],
        },
        B: { models: [scriptedModel(() => ({ text: 'b', usage: { input: 20, output: 5 } }))] },
      },
      { listener: record.listener },
    )
    expect(result).toMatchObject({
      outcome: 'partial',
      text: 'what I know',
      failure: { code: 'budget_exceeded' },
    })
    expect(result.usage.input + result.usage.output).toBeLessThanOrEqual(6000)
    expect(record.of('run-end').at(-1)).toMatchObject({ instance: 'A', outcome: 'partial' })
  })

  it('a budget keeps what the closing turn of a parent needs from its greedy child', async () => {
    const greedy = scriptedModel((_prompt, { options }) => ({
      calls: [{ tool: 'note' }],
      usage: { input: 10, output: options.maxOutputTokens ?? 0 },
    }))
    const parent = scriptedModel([
      { calls: [call('B')], usage: { input: 300, output: 50 } },
      { text: 'closed' },
    ])
    const result = await runTeam({
      A: { fields: { limits: { maxTokens: 5000 } }, models: [parent], children: ['B'] },
      B: { models: [greedy], tools: [note] },
    })
    expect(result.text).toBe('closed')
    expect(parent.calls.length).toBe(2)
  })

  it('an exhausted budget of a child ends only the child', async () => {
    const record = recordEvents()
    const parent = scriptedModel([{ calls: [call('B'), call('C')] }, { text: 'continued' }])
    const result = await runTeam(
      {
        A: { models: [parent], children: ['B', 'C'] },
        B: { fields: { limits: { maxTokens: 10 } }, models: [scriptedModel([])] },
        C: { models: [scriptedModel([{ text: 'fine' }])] },
      },
      { listener: record.listener },
    )
    expect(result).toMatchObject({ outcome: 'completed', text: 'continued' })
    expect(record.of('tool-result').map((event) => [event.toolName, event.outcome])).toEqual([
      ['agent__B', 'budget'],
      ['agent__C', 'completed'],
    ])
  })

  it('a call waits in order while calls in flight may release enough of the budget', async () => {
    const gate = deferred()
    const started: string[] = []
    const child = (name: string, wait: Promise<unknown>) =>
      scriptedModel(() => {
        started.push(name)
        return { text: name, wait, usage: { input: 40, output: 10 } }
      })
    const parent = scriptedModel([{ calls: [call('B'), call('C'), call('D')] }, { text: 'all' }])
    const running = runTeam({
      A: { fields: { limits: { maxTokens: 12_000 } }, models: [parent], children: ['B', 'C', 'D'] },
      B: { models: [child('B', gate.promise)] },
      C: { models: [child('C', gate.promise)] },
      D: { models: [child('D', gate.promise)] },
    })
    await settle()
    expect(started).toEqual(['B', 'C'])
    gate.resolve()
    expect(await running).toMatchObject({ outcome: 'completed', text: 'all' })
    expect(started).toEqual(['B', 'C', 'D'])
  })

  it('a call that waits for a budget ends when the run is cancelled', async () => {
    const controller = new AbortController()
    const never = deferred()
    const child = () => scriptedModel(() => ({ text: 'x', wait: never.promise }))
    const parent = scriptedModel([{ calls: [call('B'), call('C'), call('D')] }])
    const running = runTeam(
      {
        A: { fields: { limits: { maxTokens: 12_000 } }, models: [parent], children: ['B', 'C', 'D'] },
        B: { models: [child()] },
        C: { models: [child()] },
        D: { models: [child()] },
      },
      { signal: controller.signal },
    )
    await settle()
    controller.abort()
    expect((await running).outcome).toBe('cancelled')
  })

  it('a failed call counts at its worst case, or not at all if the provider refused it', async () => {
    const refusal = new APICallError({
      message: 'slow down',
      url: 'http://127.0.0.1',
      requestBodyValues: {},
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { 'retry-after-ms': '1' },
    })
    const limits = { maxTokens: 1000, maxRetries: 1 }
    const answered = await runTeam({
      A: { fields: { limits }, models: [scriptedModel([{ error: refusal }, { text: 'x' }])] },
    })
    expect(answered.outcome).toBe('completed')
    const broken = { parts: [{ type: 'error', error: new TypeError('cut') }] } as const
    const refused = await runTeam({
      A: { fields: { limits }, models: [scriptedModel([broken, { text: 'x' }])] },
    })
    expect(refused.failure?.code).toBe('budget_exceeded')
  })

  it('a cost budget warns once about a model without a price, whose tokens still count', async () => {
    const record = recordEvents()
    const parent = scriptedModel([{ calls: [call('B')] }, { text: 'x' }])
    const result = await runTeam(
      {
        A: { fields: { limits: { maxCost: 1, maxTokens: 20_000 } }, models: [parent], children: ['B'] },
        B: { models: [scriptedModel([{ text: 'b' }])] },
      },
      { listener: record.listener },
    )
    expect(result.outcome).toBe('completed')
    expect(record.of('warning').map((event) => event.code)).toEqual(['model_unpriced', 'model_unpriced'])
    expect(new Set(record.of('warning').map((event) => event.message)).size).toBe(2)
  })

  it(`twenty greedy children at once spend more than 0.04 of a 0.05 USD budget and never more than all of it ${verifies('C51')}`, async () => {
    const price = { input: 250_000, output: 2_000_000 }
    const greedy = scriptedModel((_prompt, { options }) => ({
      text: 'words',
      usage: { input: 30, output: options.maxOutputTokens ?? 0 },
    }))
    const parent = scriptedModel([
      { calls: Array.from({ length: 20 }, () => call('B')), usage: { input: 300, output: 100 } },
      { text: 'summary', usage: { input: 500, output: 20 } },
    ])
    const record = recordEvents()
    const result = await runTeam(
      {
        A: {
          fields: { limits: { maxCost: 0.05, maxParallel: 20 } },
          models: [parent],
          children: ['B'],
          price,
        },
        B: { fields: { maxOutputTokens: 2000 }, models: [greedy], price },
      },
      { listener: record.listener },
    )
    const children = record.of('run-end').filter((event) => event.agent === 'B')
    const refused = children.filter((event) => event.outcome === 'budget')
    expect(children).toHaveLength(20)
    expect(children.some((event) => event.outcome === 'completed')).toBe(true)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.error?.message).toMatch(/of 0\.05 USD have been used \(limits\.maxCost in .+\)/u)
    expect(result.usage.micros).toBeGreaterThanOrEqual(40_000)
    expect(result.usage.micros).toBeLessThanOrEqual(50_000)
    expect(result.text).toBe('summary')
  })
})
