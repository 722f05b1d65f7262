import { verifies } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { parseCard, parseCards, type ParsedCard } from '../src/index.ts'

function claude(yaml: string): ParsedCard {
  return parseCard(`---\ndescription: d\n${yaml}\n---\nx\n`, { path: '/p/.claude/agents/a.md' })
}

function opencode(yaml: string): ParsedCard {
  return parseCard(`---\ndescription: d\n${yaml}\n---\nx\n`, { path: '/p/.opencode/agents/a.md' })
}

function ours(yaml: string): ParsedCard {
  return parseCard(`---\ndescription: d\n${yaml}\n---\nx\n`, { path: '/p/a.md' })
}

const ALL = ['filesystem.read', 'filesystem.list', 'filesystem.search', 'filesystem.write', 'shell.execute']

describe('tools of another product', () => {
  it.each([
    'tools: Read, Bash',
    'tools: [Read, Bash]',
    'tools: "[Read, Bash]"',
    'tools:\n  - Read\n  - Bash',
  ])('are read in every form: %j', (yaml) => {
    const { definition } = claude(yaml)
    expect(definition?.tools).toEqual({ allow: ['filesystem.read', 'shell.execute'] })
    expect(definition?.runtimeTools).toEqual(['filesystem', 'shell'])
  })

  it('are all of them where the file has no list, and none where it is empty', () => {
    expect(claude('model: sonnet').definition?.tools).toEqual({ allow: ALL })
    expect(claude('tools: []').definition?.tools).toEqual({ allow: [] })
    expect(claude('tools: []').definition?.runtimeTools).toEqual([])
    expect(claude('disallowedTools: [Bash, Write]').definition?.tools).toEqual({ allow: ALL.slice(0, 3) })
  })

  it(`ask a person before they write or run something, unless the file says otherwise ${verifies('R16')}`, () => {
    const asked = (yaml: string): unknown =>
      claude(`tools: Read, Write, Bash\n${yaml}`).definition?.permissions
    expect(asked('')).toEqual({ deny: [], allow: [], ask: ['filesystem.write', 'shell.execute'] })
    expect(asked('permissionMode: acceptEdits')).toEqual({ deny: [], allow: [], ask: ['shell.execute'] })
    expect(asked('permissionMode: plan')).toEqual({
      deny: ['filesystem.write', 'shell.execute'],
      allow: [],
      ask: [],
    })
    expect(asked('permissionMode: bypassPermissions')).toEqual({ deny: [], allow: [], ask: [] })
    expect(claude('permissionMode: bypassPermissions').definition?.toolPermission).toBe('never')
    expect(claude('permissionMode: unheard').definition?.permissions.ask).toEqual([
      'filesystem.write',
      'shell.execute',
    ])
  })

  it('of MCP servers name the server too', () => {
    const { definition } = claude('tools: mcp__git_hub__list_issues, mcp__notes, mcp__time__*')
    expect(definition?.servers).toEqual(['git_hub', 'notes', 'time'])
    expect(definition?.tools).toEqual({ allow: ['git_hub__list_issues', 'notes__*', 'time__*'] })
  })

  it('that are misspelt are a warning with their place', () => {
    const { problems } = claude('tools:\n  - Read\n  - Gerp')
    expect(problems).toMatchObject([{ severity: 'warning', code: 'tool_unknown', line: 5, column: 5 }])
    expect(problems[0]?.message).toContain('did you mean `Grep`?')
  })

  it('may be named in cards of ours', () => {
    const { definition, report, dialect } = ours('tools: Read, time__now\nlimits: {maxTurns: 3}')
    expect(dialect).toBe('troupe')
    expect(definition?.tools).toEqual({ allow: ['filesystem.read', 'time__now'] })
    expect(definition?.runtimeTools).toEqual(['filesystem'])
    expect(report).toContainEqual({ key: 'tools: Read', status: 'translated', to: 'filesystem.read' })
  })
})

describe('permissions of opencode', () => {
  it.each([
    [
      'permission: {edit: allow, bash: deny}',
      { allow: ['filesystem.write'], deny: ['shell.execute'], ask: [] },
    ],
    ['permission: {bash: {"*": allow}}', { allow: ['shell.execute'], deny: [], ask: ['filesystem.write'] }],
    [
      'permission: {bash: {"git *": allow}}',
      { allow: [], deny: [], ask: ['shell.execute', 'filesystem.write'] },
    ],
    [
      'permission: {bash: {"rm *": deny, "*": allow}}',
      { allow: [], deny: [], ask: ['shell.execute', 'filesystem.write'] },
    ],
    ['permission: {webfetch: deny}', { allow: [], deny: [], ask: ['filesystem.write', 'shell.execute'] }],
    [
      'permission: {tracker_close: deny}',
      { allow: [], deny: ['tracker__close'], ask: ['filesystem.write', 'shell.execute'] },
    ],
  ])(`become ours, and rules for some arguments ask: %s ${verifies('R16')}`, (yaml, permissions) => {
    expect(opencode(yaml).definition?.permissions).toEqual(permissions)
  })

  it.each([
    ['{"*": deny, read: allow, edit: ask}', ['filesystem.read', 'filesystem.write']],
    ['{read: allow, "*": deny}', []],
    ['{"*": deny, bash: {"*": deny}}', []],
  ])(
    `of which the last one counts leave what a later rule allows: %s ${verifies('R16')}`,
    (rules, allowed) => {
      const { definition } = opencode(`permission: ${rules}`)
      const denied = definition?.permissions.deny ?? []
      expect(denied.includes('*') ? [] : definition?.tools.allow).toEqual(allowed)
    },
  )

  it('of a file hold for each of its agents, which may change them', () => {
    const file = {
      permission: { bash: 'deny', edit: { 'dist/**': 'deny' }, webfetch: 'allow' },
      agent: { a: { prompt: 'p', permission: { edit: 'allow' } }, b: { prompt: 'p', permission: 'allow' } },
    }
    const [a, b] = parseCards(JSON.stringify(file), { path: '/p/opencode.json' })
    expect(a?.definition?.permissions).toEqual({
      allow: ['filesystem.write'],
      deny: ['shell.execute'],
      ask: [],
    })
    expect(b?.definition?.toolPermission).toBe('never')
  })

  it('for everything become toolPermission', () => {
    expect(opencode('permission: ask').definition?.toolPermission).toBe('always')
    expect(opencode('permission: allow').definition?.toolPermission).toBe('never')
    expect(opencode('permission: deny').definition?.permissions.deny).toEqual(['*'])
  })

  it('that are none are an error with their place', () => {
    const { problems } = opencode('permission:\n  bash: perhaps')
    expect(problems).toMatchObject([{ severity: 'error', code: 'card_bad_value', line: 4, column: 3 }])
  })
})

describe('models of another product', () => {
  const model = (name: string, path: string): readonly string[] | undefined =>
    parseCard(`---\ndescription: d\nmodel: ${JSON.stringify(name)}\n---\nx\n`, { path }).definition?.model

  it.each([
    ['sonnet', '/.claude/agents/a.md', ['anthropic/claude-sonnet-4-6']],
    ['inherit', '/.claude/agents/a.md', []],
    ['claude-opus-4-1', '/.claude/agents/a.md', ['claude-opus-4-1']],
    ['sonnet[1m]', '/.claude/agents/a.md', ['anthropic/claude-sonnet-4-6']],
    ['openai/gpt-5', '/.opencode/agents/a.md', ['openai/gpt-5']],
    ['Claude Opus 4.5 (Preview) (copilot)', '/a.agent.md', ['anthropic/claude-opus-4-5']],
    ['GPT-5 mini (copilot)', '/a.agent.md', ['openai/gpt-5-mini']],
    ['Auto', '/a.agent.md', []],
    ['claude-sonnet-4.5', '/a.agent.md', ['anthropic/claude-sonnet-4-5']],
    ['fable', '/.claude/agents/a.md', ['anthropic/claude-fable-5-1']],
    ['haiku', '/.opencode/agents/a.md', ['anthropic/claude-haiku-4-5']],
    ['gemini-2.5-pro', '/.gemini/agents/a.md', ['gemini-2.5-pro']],
    ['gpt-5?reasoning=low', '/.fast-agent/agent-cards/a.md', ['gpt-5?reasoning=low']],
    ['openai.gpt-5-mini.high', '/.fast-agent/agent-cards/a.md', ['openai/gpt-5-mini?reasoning=high']],
    ['generic.qwen2.5', '/.fast-agent/agent-cards/a.md', ['ollama/qwen2.5']],
    ['$system.fast', '/.fast-agent/agent-cards/a.md', []],
  ])('are called as they are here: %s', (name, path, expected) => {
    expect(model(name, path)).toEqual(expected)
  })
})
