import { scriptedModel } from '@troupe/testkit'
import { fakeClock, recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, codes, openTeam } from './support/open-team.ts'

const model = 'script/s.yaml'

/** A team whose models play these lines, by agent. */
function team(
  cards: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  lines: Readonly<Record<string, readonly object[]>>,
  options: Parameters<typeof openTeam>[1] = {},
): ReturnType<typeof openTeam> {
  const files = Object.entries(cards).map(([name, fields]) => [
    `${name}.md`,
    card({ name, model, ...fields }),
  ])
  return openTeam({ ...Object.fromEntries(files), 's.yaml': JSON.stringify({ agents: lines }) }, options)
}

const say = (text: string): object => ({ say: text })
const broken = { fail: { status: 400, message: 'no' } }

describe('a chain', () => {
  const cards = { c: { type: 'chain', sequence: ['a', 'b'], default: true, model: undefined }, a: {}, b: {} }

  it(`a chain passes each answer to the next agent, in separate runs ${verifies('R20')}`, async () => {
    const host = await team(cards, { a: [say('a({{input}})')], b: [say('b({{input}})')] })
    const record = recordEvents()
    const report = await host.run('c', 'x', { onEvent: record.listener })
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'b(a(x))' } })
    expect(host.plan().agents.find(({ name }) => name === 'c')?.children).toEqual(['a', 'b'])
    const started = record.events.flatMap((event) =>
      event.type === 'run-start' ? [[event.instance, event.callId, event.depth]] : [],
    )
    expect(started).toEqual([
      ['c', undefined, 0],
      ['a[1]', '1.1', 1],
      ['b[1]', '2.1', 1],
    ])
    expect(record.types().filter((type) => type === 'run-end')).toHaveLength(3)
    expect(Object.keys(report.usage.byAgent).toSorted()).toEqual(['a', 'b'])
  })

  it('a chain ends with the failure of the first agent that fails', async () => {
    const host = await team(cards, { a: [broken], b: [say('never')] })
    const report = await host.run('c', 'x')
    expect(report).toMatchObject({ outcome: 'failed', error: { class: 'model' } })
    expect(Object.keys(report.usage.byAgent)).toEqual(['a'])
  })
})

describe('a parallel agent', () => {
  const cards = {
    p: { type: 'parallel', fanOut: ['a', 'b'], fanIn: 'j', default: true },
    a: {},
    b: {},
    j: {},
  }

  it(`a parallel agent passes the request and all results to the fanIn agent ${verifies('R20')}`, async () => {
    const host = await team(cards, { a: [say('A')], b: [say('B')], j: [say('{{input}}')] })
    const { outcome, output } = await host.run('p', 'what?')
    expect(outcome).toBe('completed')
    expect(output.text).toBe('The request was:\nwhat?\n\na answered:\nA\n\nb answered:\nB')
  })

  it('a parallel agent continues with the results that succeeded and reports the missing ones', async () => {
    const host = await team(cards, { a: [broken], b: [say('B')], j: [say('{{input}}')] })
    const report = await host.run('p', 'what?')
    expect(report).toMatchObject({ outcome: 'partial', error: { code: 'child_failed' } })
    expect(report.error?.message).toMatch(/^Without a \(failed\): /u)
    expect(report.output.text).toMatch(/a failed: .*\n\nb answered:\nB$/u)
  })

  it('a parallel agent fails if no agent answers, and runs at most maxParallel agents at once', async () => {
    const host = await team(cards, { a: [broken], b: [broken] })
    expect(await host.run('p', 'x')).toMatchObject({ outcome: 'failed', error: { class: 'model' } })
    const lines = { a: [say('A')], b: [say('B')] }
    const one = await team(
      { ...cards, p: { ...cards.p, limits: { maxParallel: 1 } }, j: {} },
      { ...lines, j: [say('J')] },
    )
    const record = recordEvents()
    await one.run('p', 'x', { onEvent: record.listener })
    const order = record.events.flatMap(({ type, agent }) =>
      type.startsWith('run-') ? [`${type} ${agent}`] : [],
    )
    expect(order.slice(1, 5)).toEqual(['run-start a', 'run-end a', 'run-start b', 'run-end b'])
  })
})

describe('a router', () => {
  const cards = { r: { type: 'router', agents: ['a', 'b'], default: true }, a: {}, b: {} }

  it(`a router lets its model choose an agent, which then answers ${verifies('R20')}`, async () => {
    const host = await team(cards, { r: [say('{"agent":"b"}')], a: [say('A')], b: [say('b: {{input}}')] })
    expect(await host.run('r', 'x')).toMatchObject({ outcome: 'completed', output: { text: 'b: x' } })
  })

  it('a router retries once for an unknown name and then fails', async () => {
    const again = await team(cards, { r: [say('{"agent":"z"}'), say('b')], b: [say('B')] })
    expect(await again.run('r', 'x')).toMatchObject({ outcome: 'completed', output: { text: 'B' } })
    const never = await team(cards, { r: [say('z'), say('constructor')] })
    expect(await never.run('r', 'x')).toMatchObject({
      outcome: 'failed',
      error: { code: 'composition_bad_answer' },
    })
  })
})

describe('a voting agent', () => {
  const cards = { v: { type: 'voting', worker: 'w', minLead: 2, default: true }, w: { model: 'test/w' } }

  /** A team whose worker gives these answers, one in each run. */
  function voters(own: object, ...texts: readonly string[]): ReturnType<typeof openTeam> {
    const models = { 'test/w': scriptedModel(texts.map((text) => ({ text }))) }
    return team({ ...cards, v: { ...cards.v, ...own } }, {}, { models })
  }

  it('a voting agent asks its worker in separate runs until an answer leads by minLead votes', async () => {
    const host = await voters({}, 'A', 'B', 'A', 'A', 'never')
    const record = recordEvents()
    const report = await host.run('v', 'x', { onEvent: record.listener })
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'A' } })
    expect(record.types().filter((type) => type === 'run-start')).toHaveLength(5)
  })

  it('a voting agent without a clear winner answers partially with the most frequent answer', async () => {
    const host = await voters({ maxSamples: 3 }, 'B', 'A', 'A', 'never')
    expect(await host.run('v', 'x')).toMatchObject({
      outcome: 'partial',
      output: { text: 'A' },
      error: { code: 'composition_unfinished' },
    })
  })

  it.each([
    ['normalized', [' Yes  it is', 'yes it is'], 'yes it is'],
    ['structured', ['{"a":1,"b":2}', '{"b":2, "a":1}'], '{"b":2, "a":1}'],
  ])('a voting agent compares answers: %s', async (matchStrategy, texts, answer) => {
    const host = await voters({ matchStrategy }, ...texts)
    expect(await host.run('v', 'x')).toMatchObject({ outcome: 'completed', output: { text: answer } })
  })

  it('a voting agent counts too long answers as samples without a vote, and fails if all are too long', async () => {
    const short = { maxSampleLength: 2, maxSamples: 3 }
    const host = await voters(short, 'A', 'long', 'A')
    expect(await host.run('v', 'x')).toMatchObject({ outcome: 'completed', output: { text: 'A' } })
    const none = await voters(short, 'long', 'long', 'long')
    expect(await none.run('v', 'x')).toMatchObject({
      outcome: 'failed',
      error: { code: 'composition_unfinished' },
    })
  })

  it('a voting agent ends with the failure of its worker, and needs one', async () => {
    const host = await team({ ...cards, w: {} }, { w: [broken] })
    expect(await host.run('v', 'x')).toMatchObject({ outcome: 'failed', error: { class: 'model' } })
    const without = await team({ v: { type: 'voting', default: true } }, {})
    expect(without.plan().problems.find(({ severity }) => severity === 'error')?.message).toContain('worker')
  })
})

describe('an orchestrator', () => {
  const cards = {
    o: { type: 'orchestrator', agents: ['a', 'b'], default: true, planIterations: 2 },
    a: {},
    b: {},
  }
  const plan = (done: boolean, ...agents: readonly string[]): object =>
    say(JSON.stringify({ done, tasks: agents.map((agent) => ({ agent, task: `do ${agent}` })) }))

  it(`an orchestrator plans, delegates, plans again and writes the answer ${verifies('R20')}`, async () => {
    const lines = { o: [plan(false, 'a', 'b'), plan(true, 'a'), say('all: {{input}}')] }
    const host = await team(cards, { ...lines, a: [say('A {{input}}')], b: [say('B')] })
    const record = recordEvents()
    const report = await host.run('o', 'x', { onEvent: record.listener })
    expect(report.outcome).toBe('completed')
    expect(report.output.text).toMatch(/^all: a answered:\nA do a\n\nAnswer the request/u)
    const sites = record.events.flatMap((event) =>
      event.type === 'run-start' && event.depth === 1 ? [[event.instance, event.callId]] : [],
    )
    expect(sites).toEqual([
      ['a[1]', '2.1'],
      ['b[2]', '2.2'],
      ['a[1]', '4.1'],
    ])
  })

  it('an orchestrator is partial when it has no plan iterations left or an agent has no answer', async () => {
    const used = await team(cards, { o: [plan(false, 'a'), plan(false, 'a'), say('so far')], a: [say('A')] })
    expect(await used.run('o', 'x')).toMatchObject({
      outcome: 'partial',
      output: { text: 'so far' },
      error: { code: 'composition_unfinished' },
    })
    const lines = { o: [plan(true, 'a', 'b'), say('half')], a: [broken], b: [say('B')] }
    expect(await (await team(cards, lines)).run('o', 'x')).toMatchObject({
      outcome: 'partial',
      error: { code: 'child_failed', message: expect.stringMatching(/^Without a /u) },
    })
  })

  it('an orchestrator retries once if its answer does not match the requested schema', async () => {
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
    const asked = { output: { format: 'json', schema } } as const
    const lines = { o: [plan(true, 'a'), say('seven'), say('{"n":7}')], a: [say('A')] }
    const record = recordEvents()
    const host = await team(cards, lines)
    const report = await host.run('o', 'x', { ...asked, onEvent: record.listener })
    expect(report).toMatchObject({ outcome: 'completed', output: { value: { n: 7 } } })
    expect(record.of('warning').map(({ code }) => code)).toEqual(['output_schema_mismatch'])
    const never = await team(cards, { ...lines, o: [plan(true, 'a'), say('seven'), say('eight')] })
    expect(await never.run('o', 'x', asked)).toMatchObject({ error: { code: 'output_schema_mismatch' } })
  })

  it('an orchestrator shortens its long conversation like any other agent', async () => {
    const rounds = 6
    const o = [...Array.from({ length: rounds - 1 }, () => plan(false, 'a')), plan(true, 'a'), say('read')]
    const files = {
      'o.md': card({ name: 'o', model, ...cards.o, agents: ['a'], planIterations: rounds }),
      'a.md': card({ name: 'a', model }),
      's.yaml': JSON.stringify({ agents: { o, a: o.map(() => say('word '.repeat(400))) } }),
    }
    const config = { providers: { script: { models: { 's.yaml': { contextWindow: 3000 } } } } }
    const record = recordEvents()
    const report = await (await openTeam(files, { config })).run('o', 'x', { onEvent: record.listener })
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'read' } })
    expect(record.of('context-shortened').length).toBeGreaterThan(0)
  })

  it('an orchestrator fails if a plan names no agents', async () => {
    const host = await team(cards, { o: [plan(true, 'z'), say('not JSON')] })
    expect(await host.run('o', 'x')).toMatchObject({ error: { code: 'composition_bad_answer' } })
  })
})

describe('an evaluator_optimizer', () => {
  const cards = {
    e: {
      type: 'evaluator_optimizer',
      generator: 'g',
      evaluator: 'v',
      minRating: 'GOOD',
      maxRefinements: 1,
      default: true,
      model: undefined,
    },
    g: {},
    v: {},
  }
  const rules = (first: string, second: string): string =>
    JSON.stringify({
      rules: [
        { when: 'The answer to evaluate:\\s+draft 1', say: first },
        { when: 'The answer to evaluate:\\s+draft 2', say: second },
        { when: 'It was rated', say: 'draft 2' },
        { when: '', say: 'draft 1' },
      ],
    })
  const play = (first: string, second: string): ReturnType<typeof openTeam> =>
    openTeam({
      'e.md': card({ name: 'e', ...cards.e }),
      'g.md': card({ name: 'g', model }),
      'v.md': card({ name: 'v', model }),
      's.yaml': rules(first, second),
    })

  it(`an evaluator_optimizer rewrites the answer with the feedback until the rating is reached ${verifies('R20')}`, async () => {
    const host = await play('{"rating":"FAIR","feedback":"longer"}', 'Overall quality: EXCELLENT')
    expect(await host.run('e', 'x')).toMatchObject({ outcome: 'completed', output: { text: 'draft 2' } })
  })

  it('an evaluator_optimizer returns its best answer as partial if the rating is never reached', async () => {
    const host = await play('{"rating":"FAIR","feedback":"f"}', '{"rating":"POOR","feedback":"worse"}')
    expect(await host.run('e', 'x')).toMatchObject({
      outcome: 'partial',
      output: { text: 'draft 1' },
      error: { code: 'composition_unfinished' },
    })
  })
})

describe('a composition', () => {
  it(`cycles through a composition are found when the team is loaded ${verifies('R20')}`, async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model: 'passthrough', agents: ['C'], default: true }),
      'c.md': card({ name: 'C', type: 'chain', sequence: ['B', 'A'] }),
      'b.md': card({ name: 'B', model: 'passthrough' }),
    })
    expect(host.plan().problems.find(({ code }) => code === 'agent_cycle')?.message).toContain('A -> C -> A')
  })

  it('a composition with an unknown type or with unknown or missing agents is an error that says so', async () => {
    const host = await openTeam({
      'x.md': card({ name: 'X', type: 'relay', sequence: ['Y'] }),
      'y.md': card({ name: 'Y', type: 'chain', sequence: ['Nobody'] }),
      'z.md': card({ name: 'Z', type: 'evaluator_optimizer', generator: 'Y', default: true }),
    })
    const { problems } = host.plan()
    expect(codes(problems)).toEqual(expect.arrayContaining(['agent_unknown', 'composition_incomplete']))
    expect(problems.map(({ message }) => message).join('\n')).toContain('orchestrator')
  })

  it('a composition called as a tool ends at its deadline and returns its partial result', async () => {
    const lines = {
      a: [say('A')],
      b: [{ say: 'late', delay: '30s' }],
      top: [{ call: [{ tool: 'agent__c', args: { text: 'x' } }] }, say('{{results.0.text}}')],
    }
    const clock = fakeClock()
    const host = await team(
      {
        top: { agents: ['c'], default: true },
        c: { type: 'chain', sequence: ['a', 'b'], limits: { timeout: 300 } },
        a: {},
        b: {},
      },
      lines,
      { clock },
    )
    const record = recordEvents()
    const report = await host.run('top', 'x', {
      onEvent: (event) => {
        record.listener(event)
        if (event.type === 'turn-start' && event.agent === 'b') void clock.advance(300)
      },
    })
    expect(report.output.text).toMatch(/^Error: .*\d+ ms[\s\S]*\nA$/u)
    const ends = record.events.flatMap((event) =>
      event.type === 'run-end' ? [[event.agent, event.outcome]] : [],
    )
    expect(ends).toContainEqual(['c', 'timeout'])
    expect(ends).toHaveLength(4)
  })
})

describe('composition keys of fast-agent cards', () => {
  it(`cumulative makes each agent of a chain read the request and all answers before its own ${verifies('R20')}`, async () => {
    const host = await team(
      {
        c: { type: 'chain', sequence: ['a', 'b', 'd'], cumulative: true, default: true },
        a: {},
        b: {},
        d: {},
      },
      { a: [say('A of {{input}}')], b: [say('B')], d: [say('{{input}}')] },
    )
    const { output } = await host.run('c', 'x')
    expect(output.text).toBe('The request was:\nx\n\na answered:\nA of x\n\nb answered:\nB')
  })

  it('include_request: false makes the fan_in agent read only the results', async () => {
    const host = await team(
      {
        p: { type: 'parallel', fan_out: ['a', 'b'], fan_in: 'j', include_request: false, default: true },
        a: {},
        b: {},
        j: {},
      },
      { a: [say('A')], b: [say('B')], j: [say('{{input}}')] },
    )
    expect((await host.run('p', 'x')).output.text).toBe('a answered:\nA\n\nb answered:\nB')
  })

  it('refinement_instruction and a numeric min_rating reach the generator and the evaluator', async () => {
    const host = await team(
      {
        e: {
          type: 'evaluator_optimizer',
          generator: 'g',
          evaluator: 'v',
          min_rating: 8,
          refinement_instruction: 'Be brief.',
          default: true,
        },
        g: {},
        v: {},
      },
      { g: [say('{{input}}')], v: [say('{"rating": 7, "feedback": "long"}')] },
    )
    const record = recordEvents()
    await host.run('e', 'x', { onEvent: record.listener })
    const inputs = record.of('run-start').map((event) => event.input)
    expect(inputs[2]).toContain('8 is good enough')
    expect(inputs[3]).toContain('It was rated 7:\nlong\n\nBe brief.\n\nWrite the answer again')
  })

  it('plan_iterations: -1 lets an orchestrator plan as often as it has turns', async () => {
    const plans = { say: JSON.stringify({ tasks: [{ agent: 'a', task: 't' }], done: false }) }
    const cards = {
      o: { type: 'orchestrator', agents: ['a'], plan_iterations: -1, limits: { maxTurns: 3 }, default: true },
      a: {},
    }
    const host = await team(cards, { o: [plans, plans, plans, say('sum')], a: [say('A')] })
    const report = await host.run('o', 'x')
    expect(report).toMatchObject({ outcome: 'partial', error: { code: 'composition_unfinished' } })
    expect(report.error?.message).toContain('within 3 rounds of planning')
  })
})

describe('an agent with advisors', () => {
  const cards = {
    m: { fanOut: ['a', 'b'], default: true },
    a: {},
    b: {},
  }

  it(`an agent reads the answers of its advisors before the request ${verifies('R20')}`, async () => {
    const host = await team(cards, { a: [say('a({{input}})')], b: [say('B')], m: [say('{{input}}')] })
    const record = recordEvents()
    const report = await host.run('m', 'what?', { onEvent: record.listener })
    expect(report.outcome).toBe('completed')
    const text = report.output.text ?? ''
    const tag = /^<advisory__(?<id>[\da-f]{10}) /u.exec(text)?.groups?.['id'] ?? ''
    expect(text.replaceAll(tag, 'ID')).toBe(
      [
        '<advisory__ID agent="a">\na(what?)\n</advisory__ID>',
        '<advisory__ID agent="b">\nB\n</advisory__ID>',
        '<original_user_request__ID>\nwhat?\n</original_user_request__ID>',
      ].join('\n\n'),
    )
    const starts = record.events.flatMap(({ type, agent }) => (type === 'run-start' ? [agent] : []))
    expect(starts).toEqual(['m', 'a', 'b'])
  })

  it('an agent whose advisors fail reads the failures and still answers', async () => {
    const host = await team(cards, { a: [broken], b: [broken], m: [say('{{input}}')] })
    const { outcome, output } = await host.run('m', 'what?')
    expect(outcome).toBe('completed')
    expect(output.text).toMatch(/>\na failed: .*\n<[^]*>\nb failed: .*\n<[^]*>\nwhat\?\n</u)
  })

  it('advisors are not offered to the model as tools, and a final agent rewrites the answer', async () => {
    const host = await team(
      { ...cards, m: { ...cards.m, fanIn: 'e', agents: ['c'] }, c: {}, e: {} },
      {
        a: [say('A')],
        b: [say('B')],
        c: [say('C')],
        m: [{ call: [{ tool: 'agent__c', args: {} }] }, say('draft')],
        e: [say('<{{input}}>')],
      },
    )
    const report = await host.run('m', 'x')
    expect(report.output.text).toBe('<The request was:\nx\n\nm answered:\ndraft>')
    const lease = await host.tools('m')
    expect(lease.tools.map(({ name }) => name)).toEqual(['agent__c'])
    await lease.release()
  })
})

describe('an agent with handoffs', () => {
  const cards = {
    m: { handoffs: ['a', 'b'], default: true, limits: { maxToolResultBytes: 100 } },
    a: {},
    b: {},
  }
  const handOver = (args: object): object => ({ call: [{ tool: 'router__handoff-to', args }] })

  it(`the agent that gets the request answers in place of the model ${verifies('R20')}`, async () => {
    const host = await team(cards, {
      m: [handOver({ agent: 'b', message: 'It is urgent.' }), say('never')],
      b: [say(`{{input}} ${'long'.repeat(50)}`)],
    })
    const record = recordEvents()
    const report = await host.run('m', 'Pay me back.', { onEvent: record.listener })
    expect(report.outcome).toBe('completed')
    expect(report.output.text).toBe(`Pay me back.\n\nIt is urgent. ${'long'.repeat(50)}`)
    const calls = record.events.flatMap((event) => (event.type === 'tool-call' ? [event.toolName] : []))
    expect(calls).toEqual(['agent__b'])
  })

  it('an agent that hands nothing over answers itself', async () => {
    const host = await team(cards, { m: [say('mine')] })
    expect(await host.run('m', 'x')).toMatchObject({ outcome: 'completed', output: { text: 'mine' } })
  })

  it('the model continues after a handoff that failed', async () => {
    const host = await team(cards, { m: [handOver({ agent: 'a' }), say('mine')], a: [broken] })
    expect(await host.run('m', 'x')).toMatchObject({ outcome: 'completed', output: { text: 'mine' } })
  })

  it('a rule that denies an agent also denies handing over to it', async () => {
    const host = await team(
      { ...cards, m: { ...cards.m, permissions: { deny: ['agent__a'] } } },
      { m: [handOver({ agent: 'a' }), say('mine')], a: [say('A')] },
    )
    const report = await host.run('m', 'x')
    expect(report.output.text).toBe('mine')
    expect(Object.keys(report.usage.byAgent)).toEqual(['m'])
  })

  it('a final agent rewrites the answer of the agent that got the request', async () => {
    const host = await team(
      { ...cards, m: { ...cards.m, fanIn: 'e' }, e: {} },
      { m: [handOver({ agent: 'a' })], a: [say('A')], e: [say('<{{input}}>')] },
    )
    expect((await host.run('m', 'x')).output.text).toBe('<The request was:\nx\n\nm answered:\nA>')
  })

  it('handoffs of a composition are reported as having no effect', async () => {
    const host = await team(
      { c: { type: 'chain', sequence: ['a'], handoffs: ['b'], default: true }, a: {}, b: {} },
      {},
    )
    expect(codes(host.plan().problems)).toContain('key_without_effect')
  })
})
