import { posix } from 'node:path'
import type { AgentDefinition } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { parseCard, type ParsedCard } from './cards.ts'

/** Parses a card of a project with these files, by absolute path. */
function inProject(path: string, keys: string, files: Readonly<Record<string, unknown>>): ParsedCard {
  const texts = new Map(
    Object.entries(files).map(([file, value]) => [
      file,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
  return parseCard(`---\ndescription: d\n${keys}---\nx\n`, {
    path,
    workspace: '/p',
    readProjectFile: (file) => texts.get(posix.normalize(file)),
  })
}

const serversOf = ({ definition }: ParsedCard): readonly string[] => Object.keys(definition?.mcpServers ?? {})
const allowedBy = ({ definition }: ParsedCard): AgentDefinition['tools']['allow'] => definition?.tools.allow

const SERVERS = {
  notes: { command: './bin/notes', args: ['--in', '${NOTES:-/tmp}'] },
  gh: { type: 'http', url: 'https://gh.example/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
}

describe('servers of `.mcp.json`', () => {
  const claude = (keys: string, files: Readonly<Record<string, unknown>>): ParsedCard =>
    inProject('/p/.claude/agents/team/a.md', `name: a\n${keys}`, files)

  it.each([
    ['with a level `mcpServers`', { mcpServers: SERVERS }],
    ['without that level', SERVERS],
  ])('an agent of Claude Code without a list of tools has all servers of a file %s', (_name, file) => {
    const card = claude('', { '/p/.mcp.json': file })
    expect(card.problems).toEqual([])
    expect(card.definition?.mcpServers).toEqual({
      notes: { ...SERVERS.notes, cwd: '../../..', required: false },
      gh: { ...SERVERS.gh, required: false },
    })
    expect(allowedBy(card)).toEqual(expect.arrayContaining(['notes__*', 'gh__*']))
  })

  it.each([
    ['tools: Read\n', []],
    ['tools: Read, mcp__notes__find\n', ['notes']],
    ['tools: "*"\n', ['notes', 'gh']],
    ['mcpServers: [gh]\n', ['gh']],
    ['disallowedTools: mcp__gh\n', ['notes']],
    ['tools: []\n', []],
  ])('an agent of Claude Code has only the servers that it may use: %s', (keys, expected) => {
    const card = claude(keys, { '/p/.mcp.json': SERVERS })
    expect(serversOf(card)).toEqual(expected)
    expect(card.definition?.servers).toEqual([])
  })

  it('a server that the settings of the project switch off is not defined', () => {
    const settings = { disabledMcpjsonServers: ['gh'] }
    const files = { '/p/.mcp.json': SERVERS, '/p/.claude/settings.json': settings }
    expect(serversOf(claude('', files))).toEqual(['notes'])
  })

  it('the own server of an agent replaces the one of the project', () => {
    const card = claude('mcpServers: { notes: { command: own } }\n', { '/p/.mcp.json': SERVERS })
    expect(card.definition?.mcpServers).toEqual({ notes: { command: 'own' } })
  })

  it('deny rules in the settings of the user apply to the agents of every project', () => {
    const card = parseCard('---\nname: a\ndescription: d\n---\nx\n', {
      path: '/p/.claude/agents/a.md',
      home: '/home/u',
      readProjectFile: (file) =>
        file === '/home/u/.claude/settings.json' ? '{"permissions":{"deny":["Bash"]}}' : undefined,
    })
    expect(card.definition?.permissions.deny).toEqual(['shell.execute'])
  })
})

describe('servers of `.vscode/mcp.json`', () => {
  const file = `{
    // The editor asks for this value.
    "inputs": [{ "id": "gh-token", "type": "promptString", "password": true }],
    "servers": {
      "gh": { "type": "http", "url": "https://gh.example/mcp", "headers": { "A": "Bearer \${input:gh-token}" } },
      "files": { "command": "npx", "args": ["files", "\${workspaceFolder}"], "env": { "K": "\${env:K}" } },
    }
  }`
  const copilot = (keys: string, text = file): ParsedCard =>
    inProject('/p/.github/agents/a.agent.md', keys, { '/p/.vscode/mcp.json': text })

  it('a Copilot agent without a list of tools has all servers, with their variables converted', () => {
    const card = copilot('')
    expect(card.problems).toEqual([])
    expect(card.definition?.mcpServers).toMatchObject({
      gh: { url: 'https://gh.example/mcp', headers: { A: 'Bearer ${INPUT_GH_TOKEN}' } },
      files: { command: 'npx', args: ['files', '/p'], env: { K: '${K}' }, cwd: '../..' },
    })
  })

  it.each([
    ['tools: [read]\n', []],
    ['tools: [read, gh/find]\n', ['gh']],
    ['tools: ["files/*"]\n', ['files']],
  ])('a Copilot agent has only the servers of its tools: %s', (keys, expected) => {
    expect(serversOf(copilot(keys))).toEqual(expected)
  })

  it('a Copilot agent outside `.github` has the servers of the workspace', () => {
    const card = inProject('/p/deep/a.agent.md', '', { '/p/.vscode/mcp.json': file })
    expect(serversOf(card)).toEqual(['gh', 'files'])
  })

  it('a file with variables for a server gets a warning if the agent uses the server', () => {
    const servers = { a: { command: 'a', envFile: '${workspaceFolder}/.env' } }
    const text = JSON.stringify({ servers })
    expect(copilot('', text).problems).toMatchObject([
      { severity: 'warning', code: 'key_without_effect', file: '/p/.vscode/mcp.json' },
    ])
    expect(copilot('tools: [read]\n', text).problems).toEqual([])
  })
})

describe('servers of `opencode.json`', () => {
  const opencode = (keys: string, config: object): ParsedCard =>
    inProject('/p/.opencode/agent/a.md', keys, { '/p/opencode.json': config })
  const mcp = {
    notes: { type: 'local', command: ['./notes', '--x'], environment: { A: '{env:A}' } },
    gh: { type: 'remote', url: 'https://gh.example/mcp' },
    off: { type: 'local', command: ['x'], enabled: false },
  }

  it('an agent of opencode in a Markdown file has the enabled servers and the model of the project', () => {
    const card = opencode('', { mcp, model: 'openai/gpt-5' })
    expect(card.definition?.model).toEqual(['openai/gpt-5'])
    expect(card.definition?.mcpServers).toMatchObject({
      notes: { command: './notes', args: ['--x'], env: { A: '${A}' }, cwd: '../..' },
      gh: { url: 'https://gh.example/mcp' },
    })
    expect(serversOf(card)).toEqual(['notes', 'gh'])
  })

  it('a tool that the project switches off may be switched on by an agent', () => {
    const config = { mcp, tools: { 'gh_*': false } }
    expect(opencode('', config).definition?.permissions.deny).toEqual(['gh__*'])
    expect(opencode('tools: { "gh_*": true }\n', config).definition?.permissions.deny).toEqual([])
  })

  it('an agent of opencode may switch the tools of a server off', () => {
    const card = opencode('tools: { "gh_*": false }\n', { mcp })
    expect(card.definition?.permissions.deny).toEqual(['gh__*'])
    expect(serversOf(card)).toEqual(['notes'])
  })

  it('an agent of opencode needs approval to read files with variables, unless a rule allows it', () => {
    const ask = (keys: string): unknown => opencode(keys, {}).definition?.permissions.ask
    expect(ask('')).toContainEqual(
      expect.objectContaining({ tool: 'filesystem.read', pattern: '*.env', except: ['*.env.example'] }),
    )
    expect(ask('permission: { read: allow }\n')).not.toContainEqual(
      expect.objectContaining({ tool: 'filesystem.read' }),
    )
  })
})
