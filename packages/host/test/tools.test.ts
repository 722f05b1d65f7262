import { PROCESS_GROUPS } from '@troupe/process'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, openTeam, stdioServer } from './support/open-team.ts'

const team = {
  'parent.md': card({
    name: 'Parent',
    default: true,
    model: 'passthrough',
    agents: ['Child'],
    functionTools: ['code.ts:say'],
    mcpServers: { srv: stdioServer('search_web', 'search_code') },
    tools: { srv: ['echo', 'search_*'] },
  }),
  'child.md': card({ name: 'Child', description: 'Repeats.', model: 'passthrough' }),
  'code.ts': 'export const say = ({ text }) => ({ structuredContent: { text }, content: [] })\n',
}

describe('the tools of an agent', () => {
  it(`the tools of an agent are those of its servers, filtered, then its functions, then its children ${verifies('A26', 'A27', 'B6', 'C15')}`, async () => {
    const host = await openTeam(team)
    const lease = await host.tools(undefined)
    expect(lease.tools.map((tool) => [tool.wireName, tool.source])).toEqual([
      ['srv__echo', 'mcp'],
      ['srv__search_web', 'mcp'],
      ['srv__search_code', 'mcp'],
      ['say', 'function'],
      ['agent__Child', 'agent'],
    ])
    expect(lease.warnings).toEqual([])
    await lease.release()
  })

  it('listing the tools of an agent requires no model and no key', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', functionTools: ['code.ts:say'] }),
      'code.ts': team['code.ts'],
    })
    const lease = await host.tools('A')
    expect(lease.tools.map((tool) => tool.name)).toEqual(['say'])
    await lease.release()
    expect(await host.callTool('A', 'say', { text: 'x' })).toMatchObject({ structured: { text: 'x' } })
  })

  it('a plan warns about a filter without matches and about a renamed tool', async () => {
    const host = await openTeam({
      'a.md': card({
        name: 'A',
        default: true,
        model: 'passthrough',
        agents: ['B'],
        mcpServers: { srv: stdioServer() },
        tools: { srv: ['echo', 'ehco'] },
      }),
      'b.md': card({ name: 'B', model: 'passthrough', toolName: 'srv__echo' }),
    })
    const lease = await host.tools('A')
    expect(lease.tools.map((tool) => tool.wireName)).toEqual([
      'srv__echo',
      expect.stringMatching(/^srv__echo_[0-9a-f]{8}$/u),
    ])
    expect(lease.warnings).toMatchObject([
      'tools: "ehco" matches no tool of the MCP server "srv"; did you mean "echo"? Its tools: echo, variable, wipe.',
      expect.stringContaining('srv__echo'),
    ])
    await lease.release()
    const record = recordEvents()
    await host.run('A', 'hi', { onEvent: record.listener })
    expect(record.of('warning').map((event) => event.code)).toEqual(['tool_unknown', 'tool_name_conflict'])
  })

  it(`sessions share one server process, and none of them stops it ${verifies('A11', 'R1')}`, async () => {
    const host = await openTeam(team, { containment: async () => PROCESS_GROUPS })
    const texts = await Promise.all(
      ['a', 'b', 'c'].map(async (text) =>
        JSON.stringify((await host.callTool(undefined, 'srv__echo', { text })).content),
      ),
    )
    const processes = new Set(texts.map((text) => /process (?<pid>\d+)/u.exec(text)?.groups?.['pid']))
    expect(processes.size).toBe(1)
  })

  it('more tools than the provider accepts are an error before the first model call', async () => {
    const many = Array.from({ length: 130 }, (_, index) => `tool_${index}`)
    const host = await openTeam(
      { 'a.md': card({ name: 'A', model: 'openai/gpt-5-mini', mcpServers: { srv: stdioServer(...many) } }) },
      { env: { OPENAI_API_KEY: 'sk-12345678', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } },
    )
    expect(await host.run('A', 'hi')).toMatchObject({
      outcome: 'failed',
      error: { class: 'config', code: 'tool_too_many', message: expect.stringContaining('133 tools') },
      usage: { modelCalls: 0 },
    })
  })
})

describe('callTool', () => {
  it('callTool runs hooks and validation and emits events', async () => {
    const host = await openTeam({
      ...team,
      'parent.md': card({
        name: 'Parent',
        default: true,
        model: 'passthrough',
        agents: ['Child'],
        toolHooks: ['hooks.ts:shout'],
        limits: { maxTurns: 1 },
        output: { format: 'json' },
      }),
      'hooks.ts':
        'export const shout = (ctx, args, callNext) => callNext({ ...args, text: args.text.toUpperCase() })\n',
    })
    const record = recordEvents()
    const result = await host.callTool(
      undefined,
      'agent__Child',
      { text: 'hi' },
      { onEvent: record.listener },
    )
    expect(result).toMatchObject({ outcome: 'completed', content: [{ type: 'text', text: 'HI' }] })
    expect(record.of('run-start').map((event) => event.instance)).toEqual(['Parent', 'Child[1]'])
    expect(result.childRunId).toBe(record.of('run-start')[1]?.runId)
  })

  it('callTool returns the failure of the tool with its own message', async () => {
    const host = await openTeam(team)
    expect(await host.callTool(undefined, 'agent__Nobody', {})).toMatchObject({
      outcome: 'failed',
      failure: {
        code: 'tool_unknown',
        message: expect.stringContaining('Unknown agent-tool: agent__Nobody'),
      },
    })
    expect(await host.callTool(undefined, 'srv__echo', { text: 5 })).toMatchObject({
      failure: { code: 'tool_bad_arguments' },
    })
  })

  it('callTool requests approval if a rule requires it, and denies the call without approvals', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model: 'passthrough', mcpServers: { srv: stdioServer() } }),
    })
    expect(await host.callTool('A', 'srv__wipe', { text: 'x' })).toMatchObject({
      outcome: 'denied',
      failure: { code: 'approval_denied' },
    })
    const asked: string[] = []
    const approve = ({ toolName }: { readonly toolName: string }) => {
      asked.push(toolName)
      return { decision: 'approved' as const }
    }
    expect(await host.callTool('A', 'srv__wipe', { text: 'x' }, { approve })).toMatchObject({
      outcome: 'completed',
    })
    expect(asked).toEqual(['srv__wipe'])
  })
})
