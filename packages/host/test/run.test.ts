import { defineAgent, type JsonObject } from '@troupe/schema'
import { scriptedModel, type ScriptedModel } from '@troupe/testkit'
import { deferred, recordEvents, settle, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, openTeam, stdioServer } from './support/open-team.ts'

const script = (lines: readonly string[]) => lines.join('\n')
const call = (tool: string, text = 'go') => ({ tool, args: { text } })

/** A parent that calls two children at once; the models are given by the test. */
function twoCities(models: {
  readonly parent: ScriptedModel
  readonly ny: ScriptedModel
  readonly london: ScriptedModel
}) {
  const files = {
    'parent.md': card({ name: 'Parent', default: true, model: 'parent', agents: ['NY', 'London'] }),
    'ny.md': card({ name: 'NY', model: 'ny', limits: { maxRetries: 0 } }),
    'london.md': card({ name: 'London', model: 'london' }),
  }
  return openTeam(files, { models })
}

describe('a team', () => {
  it(`a team runs its children concurrently, each in a new session of its own ${verifies('A1', 'A2', 'A17', 'C2', 'C15', 'C16', 'C20', 'C81', 'C84')}`, async () => {
    const gates = { ny: deferred(), london: deferred() }
    const parent = scriptedModel([
      { calls: [call('agent__NY', 'one'), call('agent__London', 'two')] },
      { text: 'both' },
    ])
    const ny = scriptedModel([{ text: 'nine', wait: gates.ny.promise }])
    const london = scriptedModel([{ text: 'two', wait: gates.london.promise }])
    const record = recordEvents()
    const host = await twoCities({ parent, ny, london })
    const running = host.run(undefined, 'What time is it?', { onEvent: record.listener })
    await settle()
    expect(record.of('run-start').map((event) => event.instance)).toEqual(['Parent', 'NY[1]', 'London[2]'])
    expect(record.of('run-end')).toEqual([])
    gates.london.resolve()
    gates.ny.resolve()
    const report = await running
    expect(report).toMatchObject({
      outcome: 'completed',
      agent: 'Parent',
      output: { format: 'text', text: 'both' },
    })
    expect(ny.calls[0]?.prompt).toEqual([
      { role: 'system', content: 'Help.' },
      { role: 'user', content: [{ type: 'text', text: 'one' }] },
    ])
    const results = parent.calls[1]?.prompt.at(-1)
    expect(JSON.stringify(results)).toMatch(/nine.*two/u)
  })

  it(`a team starts no process and no thread for a child ${verifies('C9')}`, async () => {
    const parent = scriptedModel([
      { calls: [call('agent__NY', 'one'), call('agent__London', 'two')] },
      { text: 'both' },
    ])
    const busy = (): readonly string[] =>
      process.getActiveResourcesInfo().filter((kind) => /ProcessWrap|Worker|MessagePort/u.test(kind))
    const before = busy()
    const seen: (readonly string[])[] = []
    const child = (text: string) =>
      scriptedModel(() => {
        seen.push(busy())
        return { text }
      })
    const host = await twoCities({ parent, ny: child('nine'), london: child('two') })
    expect(await host.run(undefined, 'What time is it?')).toMatchObject({ output: { text: 'both' } })
    expect(seen).toEqual([before, before])
  })

  it(`a team calls its children directly, not over MCP ${verifies('C11')}`, async () => {
    const parent = scriptedModel([{ calls: [call('agent__NY', 'one')] }, { text: 'done' }])
    const record = recordEvents()
    const host = await twoCities({
      parent,
      ny: scriptedModel([{ text: 'nine' }]),
      london: scriptedModel([]),
    })
    await host.run(undefined, 'What time is it?', { onEvent: record.listener })
    expect(record.of('tool-call').map(({ source, server }) => [source, server])).toEqual([['agent', 'agent']])
    expect(host.plan().agents.map(({ servers }) => servers)).toEqual([[], [], []])
  })

  it(`a team shows at most as many children as its card allows ${verifies('B15')}`, async () => {
    const record = recordEvents()
    const host = await openTeam(
      { 'a.md': card({ name: 'A', model: 'm', display: { maxInstances: 3 } }) },
      { models: { m: scriptedModel([{ text: 'hi' }]) } },
    )
    await host.run(undefined, 'hi', { onEvent: record.listener })
    expect(record.of('run-start').map(({ maxInstances }) => maxInstances)).toEqual([3])
  })

  it('every run of a team is warned about its unavailable models, not only the first', async () => {
    const said = scriptedModel([{ text: 'one' }, { text: 'two' }])
    const files = { 'a.md': card({ name: 'A', model: ['openai/gpt-5', 'said'] }) }
    const host = await openTeam(files, { models: { said } })
    const runs = [recordEvents(), recordEvents()]
    for (const { listener } of runs)
      expect(await host.run('A', 'hi', { onEvent: listener })).toMatchObject({ outcome: 'completed' })
    const [first, second] = runs.map((run) => run.of('warning').map(({ code, message }) => [code, message]))
    expect(first).toHaveLength(1)
    expect(second).toEqual(first)
  })

  it(`a team accounts for each agent by name, and the rows add up to the total ${verifies('A12', 'A24', 'C23', 'C53')}`, async () => {
    const parent = scriptedModel([
      {
        calls: [call('agent__NY'), call('agent__NY'), call('agent__London')],
        usage: { input: 100, output: 10 },
      },
      { text: 'done', usage: { input: 200, output: 20, cacheRead: 50 } },
    ])
    const ny = scriptedModel(() => ({ text: 'x', usage: { input: 7, output: 3 } }))
    const london = scriptedModel(() => ({ text: 'y', usage: { input: 5, output: 1, reasoning: 1 } }))
    const host = await twoCities({ parent, ny, london })
    const { usage } = await host.run(undefined, 'hi')
    expect(usage.byAgent['NY']).toMatchObject({
      inputTokens: 14,
      outputTokens: 6,
      modelCalls: 2,
      unpriced: ['ny'],
    })
    expect(usage.byAgent['Parent']).toMatchObject({ inputTokens: 300, toolCalls: 3, unpriced: ['parent'] })
    const rows = Object.values(usage.byAgent)
    for (const key of [
      'inputTokens',
      'outputTokens',
      'cacheReadTokens',
      'reasoningTokens',
      'modelCalls',
      'toolCalls',
    ] as const)
      expect(rows.reduce((sum, row) => sum + row[key], 0)).toBe(usage[key])
    expect(usage).toMatchObject({ inputTokens: 319, cost: null })
    expect(usage.unpriced.toSorted()).toEqual(['london', 'ny', 'parent'])
  })

  it(`a team continues when a child fails: the parent receives the class and the remediation ${verifies('A49', 'C82', 'C83', 'R5')}`, async () => {
    const parent = scriptedModel([
      { calls: [call('agent__NY'), call('agent__London')] },
      { text: 'one of two' },
    ])
    const ny = scriptedModel(() => ({ error: new TypeError('line is dead') }))
    const london = scriptedModel([{ text: 'fine' }])
    const record = recordEvents()
    const host = await twoCities({ parent, ny, london })
    const report = await host.run(undefined, 'hi', { onEvent: record.listener })
    expect(report.outcome).toBe('completed')
    const results = new Map(record.of('tool-result').map((event) => [event.toolName, event]))
    expect(results.get('agent__London')).toMatchObject({ outcome: 'completed' })
    expect(results.get('agent__NY')).toMatchObject({ outcome: 'failed', error: { class: 'model' } })
    const seen = JSON.stringify(parent.calls[1]?.prompt.at(-1))
    expect(seen).toMatch(/"error-text","value":"Error: /u)
    expect(seen).toMatch(/Class: [a-z]+\. Code: [a-z_]+\. What to do: /u)
  })

  it(`a team gives every child its own prompt, model, servers and limits ${verifies('A6', 'A7', 'A32', 'C21')}`, async () => {
    const parent = scriptedModel([{ calls: [call('agent__NY')] }, { text: 'done' }])
    const ny = scriptedModel([{ calls: [call('srv__echo', 'x')] }, { text: 'echoed' }])
    const host = await openTeam(
      {
        'parent.md': card({ name: 'Parent', default: true, model: 'parent', agents: ['NY'] }, 'Delegate.'),
        'ny.md': card(
          {
            name: 'NY',
            model: 'ny',
            mcpServers: { srv: stdioServer() },
            temperature: 0.5,
            limits: { maxTurns: 1 },
          },
          'You are New York.',
        ),
      },
      { models: { parent, ny } },
    )
    await host.run(undefined, 'hi')
    expect(parent.calls[0]?.tools).toEqual(['agent__NY'])
    expect(ny.calls[0]).toMatchObject({
      tools: ['srv__echo', 'srv__variable', 'srv__wipe'],
      prompt: [{ role: 'system', content: 'You are New York.' }, { role: 'user' }],
      options: { temperature: 0.5 },
    })
    // its one turn is used up, so the call of that turn is answered and not run
    expect(JSON.stringify(ny.calls[1]?.prompt.at(-1))).toContain('Not run')
    expect(ny.calls[1]?.options.toolChoice).toEqual({ type: 'none' })
  })

  it('a team plays a script from its first step in every session', async () => {
    const host = await openTeam(
      {
        'troupe.json': JSON.stringify({ defaults: { model: 'script/lines.yaml' } }),
        'team/parent.md': card({ name: 'Parent', default: true, agents: ['Child'] }),
        'team/child.md': card({ name: 'Child', functionTools: ['count.ts:count'] }),
        'team/count.ts': 'let calls = 0\nexport const count = () => `call ${(calls += 1)}`\n',
        'lines.yaml': script([
          'agents:',
          '  Parent:',
          '    - call: [{tool: agent__Child, args: {text: a}}, {tool: agent__Child, args: {text: b}}]',
          '    - say: "{{results.0.text}} and {{results.1.text}}"',
          '  Child:',
          '    - call: [{tool: count}]',
          '    - say: "{{input}}: {{results.0.text}}"',
        ]),
      },
      { cards: ['team'] },
    )
    expect(await host.run(undefined, 'go')).toMatchObject({ output: { text: 'a: call 1 and b: call 2' } })
    expect(await host.run(undefined, 'go')).toMatchObject({ output: { text: 'a: call 3 and b: call 4' } })
  })

  it(`a child may never do what a rule of its parent denies ${verifies('R16')}`, async () => {
    const parent = scriptedModel([{ calls: [call('agent__NY')] }, { text: 'done' }])
    const ny = scriptedModel([{ calls: [call('say')] }, { text: 'could not' }])
    const host = await openTeam(
      {
        'parent.md': card({
          name: 'Parent',
          default: true,
          model: 'parent',
          agents: ['NY'],
          permissions: { deny: ['say'] },
        }),
        'ny.md': card({
          name: 'NY',
          model: 'ny',
          functionTools: ['code.ts:say'],
          permissions: { allow: ['*'] },
        }),
        'code.ts': 'export const say = () => "said"\n',
      },
      { models: { parent, ny } },
    )
    const record = recordEvents()
    await host.run(undefined, 'hi', { onEvent: record.listener })
    expect(record.of('tool-result')[0]).toMatchObject({
      agent: 'NY',
      outcome: 'denied',
      error: { code: 'permission_denied' },
    })
    const direct = await host.callTool('NY', 'say', {})
    expect(direct).toMatchObject({ outcome: 'completed' })
  })
})

it('a host lists the agents that can run, the entry first, without hidden ones', async () => {
  const host = await openTeam({
    'a.md': card({ name: 'A', model: 'passthrough' }),
    'b.md': card({ name: 'B', model: 'passthrough', default: true, agents: ['C'] }),
    'c.md': card({ name: 'C', model: 'passthrough', hidden: true }),
    'd.md': card({ name: 'D', model: 'nobody/x' }),
  })
  expect(host.agents().map((agent) => agent.name)).toEqual(['B', 'A'])
  expect(await host.run('C', 'hi')).toMatchObject({ outcome: 'completed' })
})

describe('a run', () => {
  const echo = { 'a.md': card({ name: 'Alpha', model: 'passthrough' }) }

  it('a run rejects for an agent that does not exist, with the closest name', async () => {
    const host = await openTeam(echo)
    await expect(host.run('Alhpa', 'hi')).rejects.toMatchObject({
      code: 'agent_unknown',
      message: expect.stringContaining('did you mean "Alpha"?'),
    })
    await expect(host.run('__proto__', 'hi')).rejects.toMatchObject({ code: 'agent_unknown' })
  })

  it('a run of an agent with a broken card fails with class config, file and line', async () => {
    const host = await openTeam({ ...echo, 'bad.md': '---\nname: Bad\nmodle: x\n---\nHelp.' })
    expect(await host.run('bad', 'hi')).toMatchObject({
      agent: 'bad',
      outcome: 'failed',
      error: {
        class: 'config',
        code: 'card_unknown_key',
        message: expect.stringMatching(/bad\.md:3:\d+: /u),
      },
    })
    const alone = await openTeam({ 'bad.md': '---\nmodle: x\n---\nHelp.' }, { cards: ['bad.md'] })
    expect(await alone.run(undefined, 'hi')).toMatchObject({
      agent: 'bad',
      error: { code: 'card_unknown_key' },
    })
    expect(await host.run('Alpha', 'hi')).toMatchObject({ outcome: 'completed' })
  })

  it('a run of an agent that cannot run fails with what is missing, also in its events', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', default: true, model: 'passthrough', agents: ['B'] }),
      'b.md': card({ name: 'B', model: 'passthrough', type: 'router' }),
      'c.md': card({ name: 'C' }),
    })
    const record = recordEvents()
    const report = await host.run('A', 'hi', { onEvent: record.listener })
    expect(report).toMatchObject({ outcome: 'failed', error: { code: 'composition_incomplete' } })
    expect(record.types()).toEqual(['run-start', 'run-end'])
    expect(await host.run('C', 'hi')).toMatchObject({ error: { class: 'config', code: 'model_unset' } })
  })

  it('a run accepts an object that matches the input schema and rejects one that does not', async () => {
    const schema = {
      type: 'object',
      properties: { topic: { type: 'string' }, depth: { type: 'integer', default: 1 } },
      required: ['topic'],
    }
    const host = await openTeam({
      ...echo,
      's.md': card({ name: 'Strict', model: 'passthrough', input: { schema } }),
    })
    expect(await host.run('Strict', { topic: 'moon' })).toMatchObject({
      output: { text: '{"topic":"moon","depth":1}' },
    })
    expect(await host.run('Alpha', { text: 'plain' })).toMatchObject({ output: { text: 'plain' } })
    expect(await host.run('Strict', { topc: 'moon' })).toMatchObject({
      outcome: 'failed',
      error: { class: 'config', code: 'input_invalid' },
    })
  })

  it.each([65, 20_000])('a run rejects an input object that is nested %i levels deep', async (levels) => {
    const host = await openTeam(echo)
    const input = JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as JsonObject
    expect(await host.run('Alpha', input)).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'input_invalid',
        message: expect.stringContaining('nested more than 64 levels deep') as string,
      },
    })
  })

  it(`a run ends when its caller's signal aborts ${verifies('C47')}`, async () => {
    const gate = deferred()
    const host = await openTeam(
      { 'a.md': card({ name: 'A', model: 'm' }) },
      { models: { m: scriptedModel([{ text: 'late', wait: gate.promise }]) } },
    )
    const stop = new AbortController()
    const running = host.run('A', 'hi', { signal: stop.signal })
    await settle()
    stop.abort()
    expect(await running).toMatchObject({ outcome: 'cancelled', error: { code: 'run_cancelled' } })
  })

  it('a run has the time limit of its caller in place of its own', async () => {
    const gate = deferred()
    const host = await openTeam(
      { 'a.md': card({ name: 'A', model: 'm', limits: { timeout: '1h' } }) },
      { models: { m: scriptedModel([{ text: 'late', wait: gate.promise }]) } },
    )
    expect(await host.run('A', 'hi', { timeout: 20 })).toMatchObject({
      outcome: 'timeout',
      error: { code: 'run_timeout' },
    })
  })

  it('a run without a variable tells an embedder without an environment to pass process.env', async () => {
    const host = await openTeam({ 'a.md': card({ name: 'A', model: 'openai/gpt-5-mini' }) })
    const { error } = await host.run('A', 'hi')
    expect(error).toMatchObject({ code: 'env_missing' })
    expect(error?.message).toContain('pass `env: process.env`')
    expect(error?.remediation).toMatch(/^Pass `env: process\.env` /u)
  })

  it('a run rejects a model of version v3 of the provider specification', async () => {
    const old = { ...scriptedModel([]), specificationVersion: 'v3' } as never
    const host = await openTeam({ 'a.md': card({ name: 'A', model: 'm' }) }, { models: { m: old } })
    expect(await host.run('A', 'hi')).toMatchObject({ outcome: 'failed', error: { code: 'model_unknown' } })
  })

  it(`a run is stopped by its budget, and the message names the limit and the file that raises it ${verifies('C51', 'R4')}`, async () => {
    const host = await openTeam(
      { 'a.md': card({ name: 'A', model: 'm', limits: { maxTokens: 20 } }) },
      { models: { m: scriptedModel([]) } },
    )
    const report = await host.run('A', 'hi')
    expect(report).toMatchObject({ outcome: 'budget', error: { code: 'budget_exceeded' } })
    expect(report.error?.message).toMatch(/0 of 20 tokens have been used \(limits\.maxTokens in a\.md\)/u)
  })

  it('a run is also stopped by the budget of its caller', async () => {
    const host = await openTeam(
      { 'a.md': card({ name: 'A', model: 'm' }) },
      { models: { m: scriptedModel([{ text: 'x' }]) } },
    )
    expect(await host.run('A', 'hi', { budget: { maxTokens: 20 } })).toMatchObject({ outcome: 'budget' })
    expect(await host.run('A', 'hi', { budget: { maxTokens: 20_000 } })).toMatchObject({
      outcome: 'completed',
    })
    await expect(host.run('A', 'hi', { budget: { maxCost: -1 } })).rejects.toMatchObject({
      code: 'usage_invalid',
    })
  })

  it('a run with an invalid priority is refused', async () => {
    const host = await openTeam(echo)
    for (const priority of [0, 1001, 1.5, Number.NaN])
      await expect(host.run('Alpha', 'hi', { priority })).rejects.toMatchObject({
        code: 'usage_invalid',
        message: `priority must be an integer from 1 to 1000, not ${priority}.`,
      })
    expect(await host.run('Alpha', 'hi', { priority: 1000 })).toMatchObject({ outcome: 'completed' })
  })

  it('a run can be read as a stream that ends with the report', async () => {
    const host = await openTeam(echo)
    const types: string[] = []
    const stream = host.stream('Alpha', 'hi', { runId: 'r1', sessionId: 's1' })
    let next = await stream.next()
    for (; next.done !== true; next = await stream.next()) types.push(next.value.type)
    expect(next.value).toMatchObject({ runId: 'r1', sessionId: 's1', output: { text: 'hi' } })
    expect([types[0], types.at(-1)]).toEqual(['run-start', 'run-end'])
    await expect(host.stream('Nobody', 'hi').next()).rejects.toMatchObject({ code: 'agent_unknown' })
  })

  it('a run stops when the reader of its stream leaves', async () => {
    const gate = deferred()
    const host = await openTeam(
      { 'a.md': card({ name: 'A', model: 'm' }) },
      { models: { m: scriptedModel([{ text: 'late', wait: gate.promise }]) } },
    )
    const ends: string[] = []
    const onEvent = (event: { readonly type: string }) => event.type === 'run-end' && ends.push('ended')
    for await (const event of host.stream('A', 'hi', { onEvent })) {
      expect(event.type).toBe('run-start')
      break
    }
    expect(ends).toEqual(['ended'])
  })

  it('a run stops when the host closes, and no run starts afterwards', async () => {
    const gate = deferred()
    const host = await openTeam(
      { 'a.md': card({ name: 'A', model: 'm' }) },
      { models: { m: scriptedModel([{ text: 'late', wait: gate.promise }]) } },
    )
    const running = host.run('A', 'hi')
    await settle()
    await host.close()
    expect(await running).toMatchObject({
      outcome: 'cancelled',
      error: { code: 'run_cancelled', message: expect.stringContaining('host was closed') },
    })
    await expect(host.run('A', 'hi')).rejects.toMatchObject({ code: 'usage_invalid' })
  })

  it('a run fails with mcp_start_failed if a server of the agent does not start', async () => {
    const host = await openTeam({
      'a.md': card({
        name: 'A',
        model: 'passthrough',
        mcpServers: {
          good: stdioServer(),
          bad: { command: process.execPath, args: ['-e', 'process.exit(3)'] },
        },
      }),
    })
    expect(await host.run('A', 'hi')).toMatchObject({
      outcome: 'failed',
      error: { class: 'tool', code: 'mcp_start_failed' },
    })
  })

  it('a run needs no files: agents and models may be values', async () => {
    const model = scriptedModel([{ text: 'from code' }])
    const agent = defineAgent({ name: 'Code', instruction: 'x', model: 'mine' })
    const host = await openTeam(
      {},
      { cards: [agent], models: { mine: model }, config: { defaults: { limits: { maxTurns: 1 } } } },
    )
    expect(await host.run(undefined, 'hi')).toMatchObject({ agent: 'Code', output: { text: 'from code' } })
    expect(host.definition('Code').limits.maxTurns).toBe(1)
  })
})
