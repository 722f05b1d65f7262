import { verifies } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { card, codes, openTeam, stdioServer } from './support/open-team.ts'

const model = 'passthrough'

const TOOLS = `
export const mail = () => 'sent'
mail.capabilities = ['egress']
export const inbox = () => 'mail'
inbox.capabilities = ['reads_private', 'reads_untrusted']
`

describe('what a plan says of the tools of a team', () => {
  it('lists the tools of each agent with what its rules say of them', async () => {
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

  it(`tells which tools are reached through children, by which way, under the rules of everybody above ${verifies('R16')}`, async () => {
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

  it('names the agents that the entry never comes to', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model, default: true, agents: ['B'] }),
      'b.md': card({ name: 'B', model }),
      'c.md': card({ name: 'C', model }),
    })
    expect(host.plan().unreached).toEqual(['C'])
  })

  it('asks MCP servers for their tools only when it is told to, and says of one that does not start', async () => {
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

  it('warns where a card hides a server of the configuration', async () => {
    const host = await openTeam({
      'troupe.json': JSON.stringify({ mcpServers: { tm: stdioServer() } }),
      'a.md': card({ name: 'A', model, mcpServers: { tm: stdioServer() } }),
    })
    expect(host.plan().problems).toMatchObject([{ severity: 'warning', code: 'name_shadowed', agent: 'A' }])
  })

  it('warns of tools that the provider of a model would refuse, and of those it is told less of', async () => {
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
      expect.stringMatching(/^anthropic refuses the tool pick: its required argument "a b"/u),
      expect.stringMatching(/^anthropic is offered the tool pick without anyOf of the root/u),
    ])
  })
})

describe('the worst case of an agent', () => {
  const limits = { maxTurns: 3, maxToolCallsPerTurn: 2 }

  it('is one run for an agent without children', async () => {
    const host = await openTeam({ 'a.md': card({ name: 'A', model, limits }) })
    expect(host.plan().agents[0]?.worstCase).toEqual({ runs: 1, modelCalls: 4, toolCalls: 6 })
  })

  it('counts what children can start, and stops at the cap of the root', async () => {
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

  it('is that of its card for a composition', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', type: 'chain', sequence: ['B', 'B', 'B'], default: true }),
      'b.md': card({ name: 'B', model, limits }),
    })
    expect(host.plan().agents[0]?.worstCase).toEqual({ runs: 4, modelCalls: 12, toolCalls: 18 })
  })
})

describe('private data, text of strangers and a way out', () => {
  const files = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> => ({
    'a.md': card({ name: 'A', model, default: true, agents: ['Reader', 'Sender'] }),
    'reader.md': card({ name: 'Reader', model, functionTools: ['code.ts:inbox'] }),
    'sender.md': card({ name: 'Sender', model, functionTools: ['code.ts:mail'], ...fields }),
    'code.ts': TOOLS,
  })

  it('are warned of where they come together, with the ways to each', async () => {
    const { problems } = (await openTeam(files({}))).plan()
    expect(problems).toMatchObject([{ severity: 'warning', code: 'data_flow_mixed', agent: 'A' }])
    expect(problems[0]?.message).toContain('inbox through Reader')
    expect(problems[0]?.message).toContain('mail through Sender')
  })

  it('are named at the lowest agent that has them', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model, default: true, agents: ['B'] }),
      'b.md': card({ name: 'B', model, functionTools: ['code.ts:inbox', 'code.ts:mail'] }),
      'code.ts': TOOLS,
    })
    expect(host.plan().problems).toMatchObject([{ code: 'data_flow_mixed', agent: 'B' }])
  })

  it('are no matter where a person is asked before anything is sent', async () => {
    const host = await openTeam(files({ requiresApproval: ['mail'] }))
    expect(codes(host.plan().problems)).toEqual([])
  })

  it('are known of MCP tools by their annotations and by the configuration', async () => {
    const host = await openTeam({
      'troupe.json': JSON.stringify({
        mcpServers: {
          tm: { ...stdioServer(), capabilities: ['reads_private', 'reads_untrusted', 'egress'] },
        },
      }),
      'a.md': card({ name: 'A', model, servers: ['tm'] }),
    })
    expect(host.plan().problems).toEqual([])
    expect((await host.inspect()).problems).toMatchObject([{ code: 'data_flow_mixed', agent: 'A' }])
  })
})
