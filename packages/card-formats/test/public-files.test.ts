import { describe, expect, it } from 'vitest'
import { errorsOf, parseCard, type ParsedCard } from './cards.ts'

const inFolder = (path: string, text: string, files: Readonly<Record<string, string>> = {}): ParsedCard =>
  parseCard(text, {
    path,
    workspace: '/p',
    readProjectFile: (file) => files[file],
    listFiles: (folder) =>
      Object.keys(files)
        .filter((file) => file.slice(0, file.lastIndexOf('/')) === folder)
        .map((file) => file.slice(file.lastIndexOf('/') + 1)),
  })

describe('forms that public agent files have', () => {
  it.each(['/p/agent/deep/a.md', '/p/agents/a.md'])(
    'the rules of an opencode.jsonc beside the folder of %s restrict the agent',
    (path) => {
      const card = inFolder(path, '---\ndescription: d\nmode: subagent\npermission:\n  edit: ask\n---\nx\n', {
        '/p/opencode.jsonc': '{"permission":{"bash":"deny"}}',
      })
      expect(card.dialect).toBe('opencode')
      expect(card.definition?.permissions?.deny).toContain('shell.execute')
    },
  )

  it('a folder `agents` without an opencode.json has no rules of a project', () => {
    const card = inFolder(
      '/p/agents/a.md',
      '---\ndescription: d\nmode: subagent\npermission:\n  edit: ask\n---\nx\n',
    )
    expect(card.definition?.permissions?.deny ?? []).not.toContain('shell.execute')
  })

  it('an opencode agent named after its path gets a name without slashes', () => {
    const card = inFolder('/p/.opencode/agent/swarm/worker.md', '---\nname: swarm/worker\n---\nx\n')
    expect(errorsOf(card)).toEqual([])
    expect(card.definition?.name).toBe('swarm-worker')
  })

  it('one tool of every server in a Claude Code agent names no server `*`, and the servers of the project are used', () => {
    const card = inFolder(
      '/p/.claude/agents/a.md',
      '---\nname: a\ndescription: d\ntools: Read, mcp__*__send_message\n---\nx\n',
      { '/p/.mcp.json': '{"mcpServers":{"chat":{"url":"https://chat.example/mcp"}}}' },
    )
    expect(card.problems.map(({ message }) => message)).toEqual([])
    expect(card.definition?.tools.allow).toEqual(['filesystem.read', '*__send_message'])
    expect(Object.keys(card.definition?.mcpServers ?? {})).toEqual(['chat'])
  })

  it('a server with a space in its name has `_` instead, as in the names of its tools in Claude Code', () => {
    const servers = '{"mcpServers":{"My Drive":{"url":"https://drive.example/mcp"}}}'
    const agent = '---\nname: a\ndescription: d\n---\nx\n'
    const used = inFolder('/p/.claude/agents/a.md', agent, { '/p/.mcp.json': servers })
    expect(errorsOf(used)).toEqual([])
    expect(Object.keys(used.definition?.mcpServers ?? {})).toEqual(['My_Drive'])
    const off = inFolder('/p/.claude/agents/a.md', agent, {
      '/p/.mcp.json': servers,
      '/p/.claude/settings.json': '{"disabledMcpjsonServers":["My Drive"]}',
    })
    expect(off.definition?.mcpServers ?? {}).toEqual({})
  })

  it('a Copilot agent with `hidden: false` of another product is read', () => {
    const hidden = (value: string): ParsedCard =>
      inFolder('/p/.github/agents/a.agent.md', `---\nname: a\ndescription: d\nhidden: ${value}\n---\nx\n`)
    expect(hidden('false').problems).toEqual([])
    expect(hidden('true').problems).toEqual([
      expect.objectContaining({ severity: 'warning', code: 'key_without_effect' }),
    ])
  })
})
