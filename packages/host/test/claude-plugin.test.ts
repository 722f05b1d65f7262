import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { codes, openTeam, stdioServer } from './support/open-team.ts'

const { command, args, startTimeout } = stdioServer()
const server = { command, args, startTimeout }
const PLUGIN = {
  'kit/.claude-plugin/plugin.json': JSON.stringify({
    name: 'kit',
    agents: ['./extra/agents/counter.md'],
    mcpServers: { count: server },
  }),
  'kit/.mcp.json': JSON.stringify({ mcpServers: { notes: server } }),
  'kit/agents/reviewer.md':
    '---\nname: reviewer\ndescription: Reviews.\ntools: Read, mcp__plugin_kit_notes__echo, Agent(kit:writer)\nmodel: inherit\nskills: style\npermissionMode: bypassPermissions\n---\nYou review.\n',
  'kit/agents/deep/writer.md': '---\nname: writer\ndescription: Writes.\ntools: Write\n---\nYou write.\n',
  'kit/extra/agents/counter.md':
    '---\nname: counter\ndescription: Counts.\ntools: Read\nmcpServers: { own: { command: x } }\n---\nCount.\n',
  'kit/commands/review.md':
    '---\ndescription: Reviews a file.\nallowed-tools: Task\n---\nReview $ARGUMENTS with the agent reviewer.\n',
  'kit/skills/style/SKILL.md': '---\nname: style\ndescription: Style.\n---\nBe brief.\n',
  'kit/README.md': '---\ntitle: Kit\n---\n',
}

describe('a plugin of Claude Code', () => {
  it('agents, commands, skills and servers of a plugin are one team', async () => {
    const host = await openTeam(PLUGIN, { cards: ['kit'], model: 'passthrough' })
    const { agents, problems } = host.plan()
    expect(codes(problems)).toEqual(['agent_ambiguous'])
    expect(
      agents.map(({ name, children, servers, tools }) => [
        name,
        children,
        servers,
        tools.filter((tool) => !tool.name.startsWith('agent__')).map((tool) => tool.name),
      ]),
    ).toEqual([
      ['writer', [], [], ['filesystem.write']],
      ['reviewer', ['writer'], ['plugin_kit_notes'], ['filesystem.read', 'skill.read']],
      ['command:review', ['writer', 'reviewer'], [], []],
      ['counter', [], [], ['filesystem.read']],
    ])
  })

  it('a command of a plugin runs, and its agent calls a tool of a server of the plugin', async () => {
    const model = scriptedModel((prompt, { tools }) => {
      if (prompt.some(({ role }) => role === 'tool')) return { text: 'done' }
      const tool = tools.find((name) => /reviewer|echo/u.test(name))
      return tool === undefined
        ? { text: 'done' }
        : { calls: [{ tool, args: tool.endsWith('echo') ? { text: 'hi' } : { text: 'a.ts' } }] }
    })
    const host = await openTeam(PLUGIN, {
      cards: ['kit'],
      models: { 'x/y': model },
      config: { defaults: { model: 'x/y' } },
    })
    const calls: string[] = []
    const result = await host.run('command:review', 'a.ts', {
      onEvent: (event) => void (event.type === 'tool-call' && calls.push(event.toolName)),
    })
    expect(result).toMatchObject({ outcome: 'completed', output: { text: 'done' } })
    expect(calls).toEqual(['agent__reviewer', 'plugin_kit_notes__echo'])
  })

  it('hooks of a plugin are reported, because they have no effect', async () => {
    const files = { ...PLUGIN, 'kit/hooks/hooks.json': '{"hooks":{"PreToolUse":[]}}' }
    const host = await openTeam(files, { cards: ['kit/agents/deep'], model: 'passthrough' })
    expect(codes(host.plan().problems)).toEqual(['key_without_effect'])
  })

  it('the folder of a plugin never leads outside of it', async () => {
    const files = {
      ...PLUGIN,
      'kit/.claude-plugin/plugin.json': JSON.stringify({ name: 'kit', agents: ['../other', '/etc'] }),
      'other/x.md': '---\nname: other\ndescription: d\ntools: Read\n---\nx\n',
    }
    const host = await openTeam(files, { cards: ['kit'], model: 'passthrough' })
    expect(host.plan().agents.map(({ name }) => name)).not.toContain('other')
  })

  it('a marketplace is a team of the plugins in its folder', async () => {
    const files = {
      '.claude-plugin/marketplace.json': JSON.stringify({
        name: 'all',
        plugins: [
          { name: 'kit', source: './kit' },
          { name: 'two', source: './plugins/two' },
          { name: 'far', source: { source: 'github', repo: 'x/y' } },
          { name: 'out', source: '../out' },
        ],
      }),
      ...PLUGIN,
      'plugins/two/.claude-plugin/plugin.json': JSON.stringify({ name: 'two' }),
      'plugins/two/agents/second.md': '---\nname: second\ndescription: d\ntools: Read\n---\nx\n',
      'unlisted/.claude-plugin/plugin.json': JSON.stringify({ name: 'unlisted' }),
      'unlisted/agents/third.md': '---\nname: third\ndescription: d\ntools: Read\n---\nx\n',
    }
    const host = await openTeam(files, { cards: ['.'], model: 'passthrough' })
    const names = host.plan().agents.map(({ name }) => name)
    expect(names.toSorted()).toEqual(['command:review', 'counter', 'reviewer', 'second', 'writer'])
  })

  it('a warning about the plugin is reported once, not for each agent', async () => {
    const manifest = JSON.stringify({ name: 'kit', lspServers: { ts: {} }, dependencies: ['x'] })
    const files = { ...PLUGIN, 'kit/.claude-plugin/plugin.json': manifest }
    const host = await openTeam(files, { cards: ['kit'], model: 'passthrough' })
    const { problems } = host.plan()
    expect(codes(problems.filter(({ severity }) => severity === 'warning'))).toEqual([
      'key_without_effect',
      'key_without_effect',
    ])
  })
})
