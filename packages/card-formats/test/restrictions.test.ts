import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { parseCard, type ParsedCard } from './cards.ts'

function read(path: string, keys: string, files: Readonly<Record<string, string>>): ParsedCard {
  const text = `---\nname: a\ndescription: d\n${keys}\n---\nx\n`
  return parseCard(text, { path, readProjectFile: (file) => files[file] })
}

const CLAUDE = '/p/.claude/agents/a.md'
const GEMINI = '/p/.gemini/agents/a.md'

describe('rules of the administrator', () => {
  it.each([
    '/etc/claude-code/managed-settings.json',
    '/Library/Application Support/ClaudeCode/managed-settings.json',
  ])(`rules of the administrator apply to agents of Claude Code: %s ${verifies('R16')}`, (file) => {
    const permissions = { deny: ['Bash'], disableBypassPermissionsMode: 'disable' }
    const files = { [file]: JSON.stringify({ permissions }) }
    const { definition } = read(CLAUDE, 'permissionMode: bypassPermissions', files)
    expect(definition?.permissions.deny).toEqual(['shell.execute'])
    expect(definition?.toolPermission).toBe('tool')
    expect(read(CLAUDE, 'permissionMode: bypassPermissions', {}).definition?.toolPermission).toBe('never')
  })

  it.each(['/etc/gemini-cli/settings.json', '/Library/Application Support/GeminiCli/settings.json'])(
    `rules of the administrator apply to agents of Gemini CLI: %s ${verifies('R16')}`,
    (file) => {
      const files = { [file]: '{"tools": {"exclude": ["ShellTool(rm -rf)", "WriteFileTool"]}}' }
      const { definition } = read(GEMINI, 'tools: ["*"]', files)
      expect(definition?.permissions.deny).toEqual([
        expect.objectContaining({ tool: 'shell.execute', argument: 'command', pattern: 'rm -rf*' }),
        'filesystem.write',
      ])
    },
  )

  it.each(['{"tools": {"exclude": {"a": 1}}}', '{"coreTools": [1]}', '{"tools": '])(
    'settings of Gemini CLI that cannot be parsed are an error in their file: %s',
    (text) => {
      const { definition, problems } = read(GEMINI, 'tools: ["*"]', { '/p/.gemini/settings.json': text })
      expect(definition).toBeUndefined()
      expect(problems).toMatchObject([{ severity: 'error', file: '/p/.gemini/settings.json' }])
    },
  )
})

describe('approval of MCP tools', () => {
  const servers = 'mcpServers: {"a": {"command": "a"}, "b": {"command": "b"SETTINGS}}'
  const asked = (path: string, settings = ''): unknown =>
    read(path, servers.replace('SETTINGS', settings), {}).definition?.requiresApproval

  it(`tools of MCP servers need approval if they do in the product ${verifies('R16')}`, () => {
    expect(asked(CLAUDE)).toEqual(['a__*', 'b__*'])
    expect(asked(GEMINI)).toEqual(['a__*', 'b__*'])
    expect(asked(GEMINI, ', "trust": true')).toEqual(['a__*'])
  })
})

describe('names of tools', () => {
  it(`a name with wildcards names no tool in a product that compares whole names ${verifies('R16')}`, () => {
    const { definition } = read(
      '/p/a.agent.md',
      'tools: ["s/*"]\nmcp-servers: {"s": {"command": "s", "tools": ["get", "g*", "{get,set}", "!x"]}}',
      {},
    )
    expect(definition?.tools).toEqual({ allow: ['s__get'] })
  })

  it(`globs of opencode name all tools that they match, with or without a server ${verifies('R16')}`, () => {
    const denied = (name: string, mcp = {}): unknown => {
      const text = JSON.stringify({ mcp, agent: { a: { prompt: 'p', permission: { [name]: 'deny' } } } })
      return parseCard(text, { path: '/p/opencode.json' }).definition?.permissions.deny
    }
    const mcp = { 'my.git': { type: 'local', command: ['x'] }, my: { type: 'local', command: ['y'] } }
    expect(denied('web*')).toEqual(['web.fetch', 'web.search'])
    expect(denied('t?sk')).toEqual(['agent__*'])
    expect(denied('*_close', mcp)).toEqual(['my.git__*_close', 'my.git__close', 'my__*_close', 'my__close'])
    expect(denied('my_git_c*', mcp)).toEqual(['my.git__c*', 'my__git_c*'])
    expect(denied('*_close')).toEqual(['*__*_close', '*__close'])
    expect(denied('a*'.repeat(200))).toEqual([])
  })
})
