import { basename } from 'node:path'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, codes, openTeam, stdioServer } from './support/open-team.ts'

const model = 'passthrough'

const TOOLS = `
export const mail = () => 'sent'
mail.capabilities = ['egress']
export const inbox = () => 'mail'
inbox.capabilities = ['reads_private', 'reads_untrusted']
`

describe('tools in a plan', () => {
  it('a plan lists the tools of each agent with their permission', async () => {
    const host = await openTeam({
      'a.md': card({
        name: 'A',
        model,
        functionTools: ['code.ts:mail', 'code.ts:inbox'],
        agents: ['B'],
        permissions: { deny: ['mail'], ask: ['agent__*'] },
      }),
      'b.md': card({ name: 'B', model }),
      'code.ts': TOOLS,
    })
    expect(host.plan().agents[0]?.tools).toMatchObject([
      { name: 'mail', source: 'function', permission: 'deny', capabilities: ['egress'] },
      { name: 'inbox', permission: 'allow' },
      { name: 'agent__B', source: 'agent', permission: 'ask' },
    ])
  })

  it(`a plan lists the tools that are reached through children, the path to each, and the permission under the rules of all callers ${verifies('R16')}`, async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model, default: true, agents: ['B'], permissions: { deny: ['mail'] } }),
      'b.md': card({ name: 'B', model, agents: ['C'], toolPermission: 'always' }),
      'c.md': card({ name: 'C', model, functionTools: ['code.ts:mail', 'code.ts:inbox'] }),
      'code.ts': TOOLS,
    })
    const [a, b] = host.plan().agents
    expect(a?.reaches).toMatchObject([
      { name: 'mail', via: ['B', 'C'], permission: 'deny' },
      { name: 'inbox', via: ['B', 'C'], permission: 'ask' },
    ])
    expect(b?.reaches.map(({ permission }) => permission)).toEqual(['ask', 'ask'])
  })

  it('a plan lists the agents that the entry never reaches', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model, default: true, agents: ['B'] }),
      'b.md': card({ name: 'B', model }),
      'c.md': card({ name: 'C', model }),
    })
    expect(host.plan().unreached).toEqual(['C'])
  })

  it('a plan asks MCP servers for their tools only on request, and reports a server that does not start', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model, default: true, mcpServers: { tm: stdioServer() } }),
      'b.md': card({ name: 'B', model, mcpServers: { gone: { command: 'no-such-program-anywhere' } } }),
    })
    expect(host.plan().agents).toMatchObject([
      { name: 'A', tools: [], unlistedServers: ['tm'] },
      { name: 'B', unlistedServers: ['gone'] },
    ])
    const plan = await host.inspect()
    expect(plan.agents[0]?.tools.length).toBeGreaterThan(0)
    expect(plan.agents[0]).toMatchObject({ unlistedServers: [], runnable: true })
    expect(plan.agents[1]).toMatchObject({ unlistedServers: ['gone'], runnable: false })
    expect(plan.problems).toMatchObject([{ severity: 'error', code: 'mcp_start_failed', agent: 'B' }])
  })

  it('inspection locates a warning about a server where it is defined, once, and a filter in its card', async () => {
    const mcpServers = { tm: stdioServer(), gone: { command: 'no-such-program-anywhere', required: false } }
    const host = await openTeam({
      'troupe.json': JSON.stringify({ mcpServers }, null, 2),
      'a.md': card({
        name: 'A',
        default: true,
        model,
        servers: ['tm', 'gone'],
        tools: { tm: ['echo', 'wpie'] },
      }),
      'b.md': card({ name: 'B', model, servers: ['gone'], tools: ['gone__x', 'other'] }),
    })
    const { problems } = await host.inspect()
    expect(problems.map(({ file = '', line, column }) => `${basename(file)}:${line}:${column}`)).toEqual([
      'troupe.json:10:5',
      'a.md:7:22',
      'b.md:6:19',
    ])
    expect(problems.map(({ message }) => message)).toMatchObject([
      expect.stringContaining('optional MCP server "gone"'),
      'tools: "wpie" matches no tool of the MCP server "tm"; did you mean "wipe"? Its tools: echo, variable, wipe.',
      'tools: "other" matches no tool of B. Its tools: none.',
    ])
  })

  it('inspection connects the servers of an agent without those whose variables are missing', async () => {
    const host = await openTeam({
      'a.md': card({
        name: 'A',
        model,
        mcpServers: { tm: stdioServer(), needy: { ...stdioServer(), env: { PROXY: '${NO_SUCH_PROXY}' } } },
        tools: ['tm__*', 'needy__echo'],
      }),
    })
    const plan = await host.inspect()
    expect(plan.agents[0]).toMatchObject({ unlistedServers: ['needy'], runnable: true })
    expect(new Set(plan.agents[0]?.tools.map(({ server }) => server))).toEqual(new Set(['tm']))
    expect(plan.problems).toMatchObject([{ severity: 'warning', code: 'env_missing', agent: 'A' }])
  })

  it('a plan warns if a card hides a server of the configuration', async () => {
    const host = await openTeam({
      'troupe.json': JSON.stringify({ mcpServers: { tm: stdioServer() } }),
      'a.md': card({ name: 'A', model, mcpServers: { tm: stdioServer() } }),
    })
    expect(host.plan().problems).toMatchObject([{ severity: 'warning', code: 'name_shadowed', agent: 'A' }])
  })

  it('a plan warns about tools that a provider would reject or receive with a simplified schema', async () => {
    const host = await openTeam(
      {
        'a.md': card({
          name: 'A',
          model: ['anthropic/claude-x', 'ollama/y'],
          functionTools: ['code.ts:pick'],
        }),
        'code.ts':
          "export const pick = () => 1\npick.input = { type: 'object', properties: { 'a b': {} }, required: ['a b'], anyOf: [{}] }\n",
      },
      { env: { ANTHROPIC_API_KEY: 'sk-12345678' } },
    )
    expect(host.plan().problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^anthropic rejects the tool pick: its required argument "a b"/u),
      expect.stringMatching(/^anthropic receives the tool pick without anyOf of the root/u),
    ])
  })
})

describe('the worst case of an agent', () => {
  const limits = { maxTurns: 3, maxToolCallsPerTurn: 2 }

  it('the worst case of an agent without children is one run', async () => {
    const host = await openTeam({ 'a.md': card({ name: 'A', model, limits }) })
    expect(host.plan().agents[0]?.worstCase).toEqual({ runs: 1, modelCalls: 4, toolCalls: 6 })
  })

  it('the worst case of an agent counts the runs its children can start, up to the limit of the run tree', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model, default: true, agents: ['B'], limits: { ...limits, maxCost: 0.5 } }),
      'b.md': card({ name: 'B', model, agents: ['C'], limits: { ...limits, maxRuns: 10 } }),
      'c.md': card({ name: 'C', model, limits }),
    })
    const [a, b] = host.plan().agents
    // 6 calls of B, each with 6 calls of C
    expect(a?.worstCase).toEqual({ runs: 43, modelCalls: 172, toolCalls: 258, cost: 0.5 })
    expect(b?.worstCase).toMatchObject({ runs: 7 })
    const capped = await openTeam({
      'b.md': card({ name: 'B', model, default: true, agents: ['C'], limits: { ...limits, maxRuns: 5 } }),
      'c.md': card({ name: 'C', model, limits }),
    })
    expect(capped.plan().agents[0]?.worstCase.runs).toBe(5)
  })

  it('the worst case of a composition follows from its card', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', type: 'chain', sequence: ['B', 'B', 'B'], default: true }),
      'b.md': card({ name: 'B', model, limits }),
    })
    expect(host.plan().agents[0]?.worstCase).toEqual({ runs: 4, modelCalls: 12, toolCalls: 18 })
  })
})

describe('private data, untrusted content and an exfiltration channel', () => {
  const files = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> => ({
    'a.md': card({ name: 'A', model, default: true, agents: ['Reader', 'Sender'] }),
    'reader.md': card({ name: 'Reader', model, functionTools: ['code.ts:inbox'] }),
    'sender.md': card({ name: 'Sender', model, functionTools: ['code.ts:mail'], ...fields }),
    'code.ts': TOOLS,
  })

  it('a plan warns if an agent combines private data, untrusted content and an exfiltration channel, with the path to each', async () => {
    const { problems } = (await openTeam(files({}))).plan()
    expect(problems).toMatchObject([{ severity: 'warning', code: 'data_flow_mixed', agent: 'A' }])
    expect(problems[0]?.message).toContain('inbox through Reader')
    expect(problems[0]?.message).toContain('mail through Sender')
  })

  it('the warning about mixed data flow names the lowest agent that has all three', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model, default: true, agents: ['B'] }),
      'b.md': card({ name: 'B', model, functionTools: ['code.ts:inbox', 'code.ts:mail'] }),
      'code.ts': TOOLS,
    })
    expect(host.plan().problems).toMatchObject([{ code: 'data_flow_mixed', agent: 'B' }])
  })

  it('a plan does not warn about mixed data flow if sending requires approval', async () => {
    const host = await openTeam(files({ requiresApproval: ['mail'] }))
    expect(codes(host.plan().problems)).toEqual([])
  })

  it('capabilities of MCP tools come from their annotations and from the configuration', async () => {
    const host = await openTeam({
      'troupe.json': JSON.stringify({
        mcpServers: {
          tm: { ...stdioServer(), capabilities: ['reads_private', 'reads_untrusted', 'egress'] },
        },
      }),
      'a.md': card({ name: 'A', model, servers: ['tm'] }),
    })
    expect(host.plan().problems).toEqual([])
    const tools = '(tm__echo, tm__variable)'
    expect((await host.inspect()).problems).toMatchObject([
      {
        code: 'data_flow_mixed',
        agent: 'A',
        message: `A prompt injection could make A leak data. Without approval, it can read private data ${tools}, read untrusted content ${tools} and send data out ${tools}.`,
      },
    ])
  })
})
