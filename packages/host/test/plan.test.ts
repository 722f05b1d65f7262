import { join } from 'node:path'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, codes, openTeam, stdioServer } from './support/open-team.ts'

const model = 'passthrough'

describe('the plan of a team', () => {
  it(`a plan is plain data: agents, children, tools, variables and their origins ${verifies('C80')}`, async () => {
    const host = await openTeam(
      {
        'troupe.json': JSON.stringify({
          defaults: { model: 'openai/gpt-5-mini' },
          mcpServers: { tm: { command: 'node', env: { ZONE: '${ZONE}', MODE: '${MODE:-fast}' } } },
        }),
        'troupe.env': 'OPENAI_API_KEY=sk-12345678\n',
        'main.md': card({ name: 'Main', default: true, agents: ['Child'], toolHooks: ['code.ts:audit'] }),
        'child.md': card({ name: 'Child', servers: ['tm'], functionTools: ['code.ts:now'], env: ['EXTRA'] }),
        'code.ts':
          'export const now = () => "now"\nexport const audit = (ctx, args, callNext) => callNext(args)\n',
      },
      { env: { ZONE: 'UTC' } },
    )
    const plan = host.plan()
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan)
    expect(plan).toMatchObject({
      entry: 'Main',
      configFile: join(host.path, 'troupe.json'),
      agents: [
        { name: 'Child', models: ['openai/gpt-5-mini'], servers: ['tm'], functionTools: ['now'], height: 0 },
        { name: 'Main', children: ['Child'], toolHooks: ['code.ts:audit'], height: 1, runnable: true },
      ],
    })
    expect(plan.variables).toEqual([
      {
        name: 'OPENAI_API_KEY',
        agents: ['Child', 'Main'],
        neededFor: 'the model openai/gpt-5-mini',
        origin: join(host.path, 'troupe.env'),
      },
      { name: 'ZONE', agents: ['Child'], neededFor: 'the MCP server tm', server: 'tm', origin: 'process' },
      { name: 'EXTRA', agents: ['Child'], neededFor: '`env` of the card' },
    ])
    expect(plan.problems).toMatchObject([
      { severity: 'warning', code: 'env_missing', agent: 'Child', message: expect.stringContaining('EXTRA') },
    ])
  })

  it('a plan lists what providers do not enforce of an output schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string', minLength: 1 } },
      required: ['city'],
    }
    const host = await openTeam(
      {
        'a.md': card({
          name: 'A',
          model: ['openai/gpt-5', 'openai/gpt-4-turbo', 'passthrough'],
          output: { schema },
        }),
      },
      { env: { OPENAI_API_KEY: 'sk-12345678' } },
    )
    expect(host.plan().agents).toMatchObject([
      {
        outputNotes: [
          'openai does not enforce minLength of /city, as strict mode does not support it',
          'openai/gpt-4-turbo returns its answer as the arguments of the tool final_answer',
        ],
      },
    ])
  })

  it('a plan of cards without a model has only a warning', async () => {
    const host = await openTeam({ 'a.md': card({ name: 'A' }) })
    expect(host.plan().problems).toMatchObject([{ severity: 'warning', code: 'model_unset', agent: 'A' }])
    expect(host.plan().agents).toMatchObject([{ name: 'A', models: [], runnable: true }])
  })

  it(`a plan reports the problems of a card on that card and keeps the other agents ${verifies('A33', 'C19')}`, async () => {
    const host = await openTeam({
      'good.md': card({ name: 'Good', model, default: true }),
      'model.md': card({ name: 'Model', model: 'opnai/gpt-5' }),
      'server.md': card({ name: 'Server', model, servers: ['tmie'], mcpServers: { time: stdioServer() } }),
      'code.md': card({ name: 'Code', model, functionTools: ['gone.ts:now'], toolHooks: ['bad.ts:hook'] }),
      'bad.ts': 'export const hook = (a, b, c, d) => d\n',
      'chain.md': card({ name: 'Chain', model, type: 'chain' }),
      'broken.md': '---\nname: [\n---\nHelp.',
    })
    const { agents, problems } = host.plan()
    const errors = problems.filter((problem) => problem.severity === 'error')
    expect(errors.map((problem) => [problem.agent, problem.code])).toEqual([
      [undefined, 'card_bad_yaml'],
      ['Chain', 'composition_incomplete'],
      ['Code', 'function_not_found'],
      ['Code', 'hook_bad_signature'],
      ['Model', 'model_unknown'],
      ['Server', 'mcp_unknown_server'],
    ])
    expect(errors.every((problem) => problem.file !== undefined && problem.fix !== undefined)).toBe(true)
    expect(errors[5]?.message).toContain('did you mean "time"?')
    expect(agents.filter((agent) => agent.runnable).map((agent) => agent.name)).toEqual(['Good'])
    expect(host.agents().map((agent) => agent.name)).toEqual(['Good'])
    expect(await host.run('Good', 'hi')).toMatchObject({ outcome: 'completed', output: { text: 'hi' } })
  })

  it('a plan reports a broken configuration once and does not report its servers as unknown', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model, servers: ['fs', 'git'] }),
      'troupe.json': '{"mcpServers": {"fs": {"command": "x"}}, "modells": {}}',
    })
    expect(codes(host.plan().problems)).toEqual(['config_invalid'])
    expect((await host.run('A', 'hi')).error?.code).toBe('config_invalid')
  })

  it('a plan reports every key that has no effect in this version', async () => {
    const host = await openTeam({
      'a.md': card({
        name: 'A',
        model,
        mode: 'tools',
      }),
    })
    const { problems, agents } = host.plan()
    expect(problems.map((problem) => [problem.severity, problem.code])).toEqual([
      ['warning', 'key_without_effect'],
    ])
    expect(problems.map((problem) => problem.message.split(':')[0])).toEqual(['mode'])
    expect(agents[0]?.runnable).toBe(true)
  })

  it('a plan with a broken configuration has errors for every agent, because limits and servers are unknown', async () => {
    const host = await openTeam({ 'troupe.json': '{"defualts": {}}', 'a.md': card({ name: 'A', model }) })
    expect(host.plan()).toMatchObject({
      entry: 'A',
      agents: [{ name: 'A', runnable: false }],
      problems: [{ code: 'config_invalid', message: expect.stringContaining('did you mean "defaults"?') }],
    })
    expect(await host.run('A', 'hi')).toMatchObject({ outcome: 'failed', error: { code: 'config_invalid' } })
  })

  it('a plan warns about filters and servers without effect', async () => {
    const host = await openTeam({
      'a.md': card({
        name: 'A',
        model,
        mcpServers: { off: { ...stdioServer(), disabled: true } },
        tools: { offf: ['x'] },
      }),
    })
    expect(host.plan().problems).toMatchObject([
      { severity: 'warning', code: 'mcp_unknown_server', message: expect.stringContaining('disabled') },
      {
        severity: 'warning',
        code: 'mcp_unknown_server',
        message: expect.stringContaining('did you mean "off"?'),
      },
    ])
  })

  it('a plan reports a misspelt server once, and not again for the filter with its right name', async () => {
    const host = await openTeam({
      'troupe.json': JSON.stringify({ mcpServers: { files: stdioServer() } }),
      'a.md': card({ name: 'A', model, servers: ['filez'], tools: { files: ['x'], mail: ['y'] } }),
    })
    expect(host.plan().problems).toMatchObject([
      { severity: 'error', line: 5, message: expect.stringContaining('did you mean "files"?') },
      {
        severity: 'warning',
        line: 6,
        message: expect.stringContaining('the agent has no MCP server "mail"'),
      },
    ])
  })

  it('a plan rejects two tools with the same name and shows the position of both', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', default: true, model, agents: ['B'], functionTools: ['code.ts:ask'] }),
      'b.md': card({ name: 'B', model, toolName: 'ask' }),
      'code.ts': 'export const ask = () => "?"\n',
    })
    expect(host.plan().problems).toMatchObject([
      {
        severity: 'error',
        code: 'tool_name_conflict',
        agent: 'A',
        message: expect.stringMatching(/a\.md and the agent B of .*b\.md/u),
      },
    ])
  })

  it('a plan keeps the orchestrator card of the hooks document as printed, with and without its children', async () => {
    const files = {
      'PMO-orchestrator.md': [
        '---',
        'type: agent',
        'name: PMO-orchestrator',
        'default: true',
        'agents:',
        '  - NY-Project-Manager',
        '  - London-Project-Manager',
        'tool_hooks:',
        '  - hooks.py:audit_hook',
        '  - hooks.py:safety_guard',
        'history_mode: scratch',
        'max_parallel: 128',
        'child_timeout_sec: 120',
        'max_display_instances: 20',
        '---',
        'Get project updates.',
      ].join('\n'),
      'hooks.ts': [
        'export const audit_hook = (ctx, args, callNext) => callNext(args)',
        'export const safety_guard = (ctx, args, callNext) => callNext(args)',
      ].join('\n'),
    }
    const whole = await openTeam({
      ...files,
      'ny.md': card({ name: 'NY-Project-Manager', model }),
      'london.md': card({ name: 'London-Project-Manager', model }),
    })
    expect(codes(whole.plan().problems.filter((problem) => problem.severity === 'error'))).toEqual([])
    expect(whole.definition(undefined)).toMatchObject({
      name: 'PMO-orchestrator',
      historyMode: 'scratch',
      limits: { maxParallel: 128, childTimeout: 120_000 },
      display: { maxInstances: 20 },
    })
    const alone = await openTeam(files, { model })
    expect(alone.plan().problems.filter((problem) => problem.severity === 'error')).toMatchObject([
      {
        code: 'agent_unknown',
        agent: 'PMO-orchestrator',
        message: expect.stringContaining('NY-Project-Manager'),
      },
      {
        code: 'agent_unknown',
        agent: 'PMO-orchestrator',
        message: expect.stringContaining('London-Project-Manager'),
      },
    ])
    expect(await alone.run(undefined, 'hi')).toMatchObject({
      outcome: 'failed',
      error: { class: 'config', code: 'agent_unknown' },
    })
  })
})
