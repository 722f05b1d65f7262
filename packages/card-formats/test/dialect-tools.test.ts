import type { AgentDefinition } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { parseCard, parseCards, type ParsedCard } from './cards.ts'

function claude(yaml: string): ParsedCard {
  return parseCard(`---\ndescription: d\n${yaml}\n---\nx\n`, { path: '/p/.claude/agents/a.md' })
}

function opencode(yaml: string): ParsedCard {
  return parseCard(`---\ndescription: d\n${yaml}\n---\nx\n`, { path: '/p/.opencode/agents/a.md' })
}

function ours(yaml: string): ParsedCard {
  return parseCard(`---\ndescription: d\n${yaml}\n---\nx\n`, { path: '/p/a.md' })
}

const ALL = [
  'filesystem.read',
  'filesystem.list',
  'filesystem.search',
  'filesystem.write',
  'shell.execute',
  'web.fetch',
  'todo.read',
  'todo.write',
]

describe('tools of another product', () => {
  it.each([
    'tools: Read, Bash',
    'tools: [Read, Bash]',
    'tools: "[Read, Bash]"',
    'tools:\n  - Read\n  - Bash',
  ])('tools of another product are read in every form: %j', (yaml) => {
    const { definition } = claude(yaml)
    expect(definition?.tools).toEqual({ allow: ['filesystem.read', 'shell.execute'] })
    expect(definition?.runtimeTools).toEqual(['filesystem', 'shell'])
  })

  it('tools of another product are all tools if the file has no list, and none if the list is empty', () => {
    expect(claude('model: sonnet').definition?.tools).toEqual({ allow: ALL })
    expect(claude('tools: []').definition?.tools).toEqual({ allow: [] })
    expect(claude('tools: []').definition?.runtimeTools).toEqual([])
    expect(claude('disallowedTools: [Bash, Write]').definition?.tools).toEqual({
      allow: [...ALL.slice(0, 3), ...ALL.slice(5)],
    })
  })

  it(`tools of another product need approval before they write or run something, unless the file says otherwise ${verifies('R16')}`, () => {
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
      'web.fetch',
    ])
  })

  it('tools of MCP servers add the server too', () => {
    const { definition } = claude('tools: mcp__git_hub__list_issues, mcp__notes, mcp__time__*')
    expect(definition?.servers).toEqual(['git_hub', 'notes', 'time'])
    expect(definition?.tools).toEqual({ allow: ['git_hub__list_issues', 'notes__*', 'time__*'] })
  })

  it('misspelled tools are a warning with their location', () => {
    const { problems } = claude('tools:\n  - Read\n  - Gerp')
    expect(problems).toMatchObject([{ severity: 'warning', code: 'tool_unknown', line: 5, column: 5 }])
    expect(problems[0]?.message).toContain('did you mean `Grep`?')
  })

  it('tools of another product may be named in Troupe cards', () => {
    const { definition, report, dialect } = ours('tools: Read, time__now\nlimits: {maxTurns: 3}')
    expect(dialect).toBe('troupe')
    expect(definition?.tools).toEqual({ allow: ['filesystem.read', 'time__now'] })
    expect(definition?.runtimeTools).toEqual(['filesystem'])
    expect(report).toContainEqual({ key: 'tools: Read', status: 'translated', to: 'filesystem.read' })
  })
})

/** The permissions of an agent without the built-in rule for files with variables. */
function withoutVariableFiles({ definition }: ParsedCard): AgentDefinition['permissions'] | undefined {
  if (definition === undefined) return undefined
  const isBuiltIn = (entry: AgentDefinition['permissions']['ask'][number]): boolean =>
    typeof entry !== 'string' && entry.except?.[0] === '*.env.example'
  const { permissions } = definition
  return { ...permissions, ask: permissions.ask.filter((entry) => !isBuiltIn(entry)) }
}

describe('tools for the web, to-do lists and notes', () => {
  const parsers = {
    '.claude/agents/a.md': (names: string) => `tools: ${names}`,
    '.github/agents/a.agent.md': (names: string) => `tools: [${names}]`,
    '.gemini/agents/a.md': (names: string) => `tools: [${names}]`,
    '.opencode/agents/a.md': (names: string) =>
      `tools: {"*": false, ${names.replaceAll(',', ': true,')}: true}`,
  } as const

  it.each<[keyof typeof parsers, string, readonly string[], readonly string[]]>([
    ['.claude/agents/a.md', 'WebFetch, WebSearch', ['web.fetch', 'web.search'], ['fetch', 'search']],
    ['.claude/agents/a.md', 'TodoWrite', ['todo.write'], ['todo']],
    ['.claude/agents/a.md', 'TaskList, TaskUpdate', ['todo.read', 'todo.write'], ['todo']],
    ['.github/agents/a.agent.md', 'web', ['web.fetch', 'web.search'], ['fetch', 'search']],
    ['.github/agents/a.agent.md', 'web/fetch', ['web.fetch'], ['fetch']],
    ['.github/agents/a.agent.md', 'todo', ['todo.read', 'todo.write'], ['todo']],
    ['.gemini/agents/a.md', 'web_fetch, google_web_search', ['web.fetch', 'web.search'], ['fetch', 'search']],
    ['.gemini/agents/a.md', 'write_todos', ['todo.write'], ['todo']],
    ['.gemini/agents/a.md', 'save_memory', ['memory.list', 'memory.read', 'memory.write'], ['memory']],
    [
      '.opencode/agents/a.md',
      'webfetch,todowrite,todoread',
      ['web.fetch', 'todo.write', 'todo.read'],
      ['fetch', 'todo'],
    ],
  ])(
    'the tools of %s named %s become built-in tools, and those that reach out or write ask',
    (path, names, tools, groups) => {
      const yaml = parsers[path](names)
      const { definition } = parseCard(`---\nname: a\ndescription: d\n${yaml}\n---\nx\n`, {
        path: `/p/${path}`,
      })
      expect(definition?.tools).toEqual({ allow: tools })
      expect(definition?.runtimeTools).toEqual(groups)
      const asking = tools.filter((tool) => /^web|memory\.write/u.test(tool))
      const rules = definition?.permissions.ask.filter((entry) => typeof entry === 'string')
      expect(rules).toEqual(asking)
    },
  )

  it('the notes of Claude Code are in its folder for the agent, and need the right scope', () => {
    const project = claude('name: a\ntools: Read\nmemory: project').definition
    expect(project).toMatchObject({
      memory: '.claude/agent-memory/a',
      tools: { allow: ['filesystem.read', 'memory.list', 'memory.read', 'memory.write'] },
      permissions: { ask: ['memory.write'] },
    })
    expect(claude('name: a\nmemory: local').definition?.memory).toBe('.claude/agent-memory-local/a')
    const user = claude('name: a\ntools: Read\nmemory: user').definition
    expect(user?.memory).toBeUndefined()
    expect(user?.tools).toEqual({ allow: ['filesystem.read'] })
    expect(claude('name: a\nmemory: project\npermissionMode: plan').definition?.permissions.deny).toContain(
      'memory.write',
    )
  })
})

describe('opencode permissions', () => {
  it.each(['bash: allow', 'bash: allow, external_directory: ask', 'bash: {"git *": allow}'])(
    `commands of opencode with paths need approval unless files outside the folder are allowed: %s ${verifies('R16')}`,
    (rules) => {
      const ask = opencode(`permission: {${rules}}`).definition?.permissions.ask ?? []
      const patterns = ask.flatMap((rule) => (typeof rule === 'string' ? [] : [rule.pattern]))
      for (const command of ['cat', 'cd', 'chmod', 'chown', 'cp', 'mkdir', 'mv', 'rm', 'touch'])
        expect(patterns).toContain(`${command} *`)
    },
  )

  const shell = { tool: 'shell.execute', argument: 'command' }
  const writing = { tool: 'filesystem.write', argument: 'path' }

  it.each<[string, object]>([
    [
      'permission: {edit: allow, bash: deny}',
      { allow: ['filesystem.write'], deny: ['shell.execute'], ask: ['web.fetch'] },
    ],
    [
      'permission: {bash: {"*": allow}, external_directory: allow}',
      { allow: ['shell.execute'], deny: [], ask: ['filesystem.write', 'web.fetch'] },
    ],
    [
      'permission: {bash: {"git *": allow}, external_directory: allow}',
      {
        allow: [{ ...shell, pattern: 'git *' }],
        deny: [],
        ask: [{ ...shell, pattern: '*', except: ['git *'] }, 'filesystem.write', 'web.fetch'],
      },
    ],
    [
      'permission: {bash: {"*": allow, "rm *": deny}, external_directory: allow}',
      {
        allow: ['shell.execute'],
        deny: [{ ...shell, pattern: 'rm *' }],
        ask: ['filesystem.write', 'web.fetch'],
      },
    ],
    [
      'permission: {bash: {"*": deny, "git *": allow, "git push *": ask}}',
      {
        allow: [{ ...shell, pattern: 'git *' }],
        deny: [{ ...shell, pattern: '*', except: ['git *', 'git push *'] }],
        ask: [{ ...shell, pattern: 'git push *' }, 'filesystem.write', 'web.fetch'],
      },
    ],
    [
      'permission: {bash: {"rm *": deny, "rm -i *": ask}}',
      {
        allow: [],
        deny: [{ ...shell, pattern: 'rm *', except: ['rm -i *'] }],
        ask: ['shell.execute', { ...shell, pattern: 'rm -i *' }, 'filesystem.write', 'web.fetch'],
      },
    ],
    [
      'permission: {edit: {"**/*": deny, "docs/*.md": allow}}',
      {
        allow: [{ ...writing, pattern: 'docs/*.md' }],
        deny: [{ ...writing, pattern: '*', except: ['docs/*.md'] }],
        ask: ['shell.execute', 'web.fetch'],
      },
    ],
    [
      'permission: {"*": deny, bash: {"git *": allow}}',
      {
        allow: [{ ...shell, pattern: 'git *' }],
        deny: [{ ...shell, pattern: '*', except: ['git *'] }],
        ask: [],
      },
    ],
    [
      'permission: {read: {"*.env": deny}}',
      {
        allow: [],
        deny: [{ tool: 'filesystem.read', argument: 'path', pattern: '*.env' }],
        ask: ['filesystem.write', 'shell.execute', 'web.fetch'],
      },
    ],
    [
      'permission: {webfetch: deny}',
      { allow: [], deny: ['web.fetch'], ask: ['filesystem.write', 'shell.execute'] },
    ],
    [
      'permission: {tracker_close: deny}',
      { allow: [], deny: ['tracker__close'], ask: ['filesystem.write', 'shell.execute', 'web.fetch'] },
    ],
    [
      'permissions: {edit: {"**/*": deny}, bash: {"*": allow, "rm *": deny}}',
      {
        allow: [],
        deny: ['filesystem.write', { ...shell, pattern: 'rm *' }],
        ask: ['shell.execute', 'web.fetch'],
      },
    ],
  ])(
    `opencode permissions become Troupe permissions, including rules for arguments: %s ${verifies('R16')}`,
    (yaml, permissions) => {
      expect(withoutVariableFiles(opencode(yaml))).toEqual(permissions)
    },
  )

  it('opencode permissions that a later rule overrides are a warning with their line', () => {
    const { definition, problems } = opencode('permission:\n  bash:\n    "rm *": deny\n    "*": allow')
    expect(definition?.permissions.allow).toEqual(['shell.execute'])
    expect(problems).toMatchObject([{ severity: 'warning', code: 'key_without_effect', line: 5 }])
  })

  it('opencode permissions for some calls of a tool whose calls cannot be compared deny the tool, with a warning', () => {
    const { definition, problems } = opencode('permission:\n  tracker_close:\n    "a*": deny')
    expect(definition?.permissions.deny).toEqual(['tracker__close'])
    expect(problems).toMatchObject([{ severity: 'warning', code: 'permission_rule_widened', line: 5 }])
  })

  it.each([
    'permission: [edit]',
    'permissions: deny-everything',
    'permissions: [{action: bash}]',
    'permission: {bash: {"rm *": no}}',
  ])('opencode permissions that cannot be parsed are an error: %s', (yaml) => {
    expect(opencode(yaml).problems).toMatchObject([{ severity: 'error', code: 'card_bad_value' }])
  })

  it.each([
    ['{"*": deny, read: allow, edit: ask}', ['filesystem.read', 'filesystem.write']],
    ['{read: allow, "*": deny}', []],
    ['{"*": deny, bash: {"*": deny}}', []],
  ])(
    `opencode permissions keep what a later rule allows, because the last rule wins: %s ${verifies('R16')}`,
    (rules, allowed) => {
      const { definition } = opencode(`permission: ${rules}`)
      const denied = definition?.permissions.deny ?? []
      expect(denied.includes('*') ? [] : definition?.tools.allow).toEqual(allowed)
    },
  )

  it('opencode permissions of a file apply to each of its agents, which may change them', () => {
    const file = {
      permission: { bash: 'deny', edit: { 'dist/**': 'deny' }, webfetch: 'allow' },
      agent: { a: { prompt: 'p', permission: { edit: 'allow' } }, b: { prompt: 'p', permission: 'allow' } },
    }
    const [a, b] = parseCards(JSON.stringify(file), { path: '/p/opencode.json' })
    expect(a && withoutVariableFiles(a)).toEqual({
      allow: ['web.fetch', 'filesystem.write'],
      deny: ['shell.execute'],
      ask: [],
    })
    expect(b?.definition?.toolPermission).toBe('never')
  })

  it('opencode permissions for everything become toolPermission', () => {
    expect(opencode('permission: ask').definition?.toolPermission).toBe('always')
    expect(opencode('permission: allow').definition?.toolPermission).toBe('never')
    expect(opencode('permission: deny').definition?.permissions.deny).toEqual(['*'])
  })

  it('opencode permissions with invalid values are an error with their location', () => {
    const { problems } = opencode('permission:\n  bash: perhaps')
    expect(problems).toMatchObject([{ severity: 'error', code: 'card_bad_value', line: 4, column: 3 }])
  })
})

describe('Claude Code rules', () => {
  const domain = { tool: 'web.fetch', argument: 'domain' }
  const shell = { tool: 'shell.execute', argument: 'command' }

  it.each<[string, readonly unknown[]]>([
    ['Bash(rm *)', [{ ...shell, pattern: 'rm *' }]],
    ['bash(rm *)', [{ ...shell, pattern: 'rm *' }]],
    ['Bash(git push:*)', [{ ...shell, pattern: 'git push *' }]],
    ['Bash(*)', []],
    ['Bash', []],
    ['Edit(src/**)', [{ tool: 'filesystem.write', argument: 'path', pattern: 'src/**' }]],
    [
      'Read(./secrets/**)',
      [
        { tool: 'filesystem.read', argument: 'path', pattern: './secrets/**' },
        { tool: 'filesystem.search', argument: 'path', pattern: './secrets/**' },
      ],
    ],
    ['mcp__files__write', ['files__write']],
    ['Agent(helper)', ['agent__helper']],
    [
      'WebFetch(domain:Example.com)',
      [
        { ...domain, pattern: 'example.com' },
        { ...domain, pattern: '*.example.com' },
      ],
    ],
    ['WebFetch(domain:*.example.com)', [{ ...domain, pattern: '*.example.com' }]],
    ['WebFetch', []],
    ['TodoWrite', []],
  ])(`Claude Code rules that deny become Troupe permissions: %s ${verifies('R16')}`, (rule, deny) => {
    const { definition } = claude(`disallowedTools:\n  - ${JSON.stringify(rule)}`)
    expect(definition?.permissions.deny).toEqual(deny)
    const hasShell = definition?.tools.allow?.includes('shell.execute')
    expect(hasShell).toBe(!['Bash', 'Bash(*)'].includes(rule))
  })

  it.each([
    ['Bash(rm *', 'shell.execute'],
    ['mcp__files__write(x)', 'files__write'],
    ['WebFetch(domain:', 'web.fetch'],
  ])('Claude Code rules that cannot be parsed deny the whole tool, with a warning: %s', (rule, tool) => {
    const { definition, problems } = claude(`disallowedTools:\n  - ${JSON.stringify(rule)}`)
    expect(definition?.permissions.deny).toEqual([tool])
    expect(problems).toMatchObject([{ severity: 'warning', code: 'permission_rule_widened', line: 4 }])
  })
})

describe('project rules', () => {
  const read = (path: string, texts: Readonly<Record<string, string>>, yaml = ''): ParsedCard =>
    parseCard(`---\ndescription: d\n${yaml}\n---\nx\n`, { path, readProjectFile: (file) => texts[file] })

  it(`project rules of opencode.json apply to the agents of that project ${verifies('R16')}`, () => {
    const texts = {
      '/p/opencode.json': '{\n  "permission": {"edit": "deny",\n    "bash": {"rm *": "deny"}}\n}',
    }
    const { definition, report } = read('/p/.opencode/agent/o8.md', texts)
    expect(definition?.permissions.deny).toEqual([
      'filesystem.write',
      { tool: 'shell.execute', argument: 'command', pattern: 'rm *', source: '../../opencode.json:3' },
    ])
    expect(report).toContainEqual({
      key: '../../opencode.json: permission.edit',
      status: 'translated',
      to: 'permissions.deny: filesystem.write',
    })
  })

  it.each([
    ['/p/.opencode/agent/sub/a.md', '/p/.opencode/opencode.jsonc'],
    ['/p/.opencode/agents/a.md', '/p/opencode.jsonc'],
    ['/home/.config/opencode/agent/a.md', '/home/.config/opencode/opencode.json'],
    ['.opencode/agent/a.md', 'opencode.json'],
  ])('project rules are found for %s in %s', (path, file) => {
    const deny = (text: string): unknown => read(path, { [file]: text }).definition?.permissions.deny
    expect(deny('{"permission": {"bash": "deny"}}')).toEqual(['shell.execute'])
    expect(deny('{"tools": {"bash": false}}')).toEqual(['shell.execute'])
  })

  it('project rules of opencode are overridden by later ones of the agent, with a warning', () => {
    const texts = { '/p/opencode.json': '{"permission": {"edit": "deny", "bash": "deny"}}' }
    const card = read('/p/.opencode/agent/a.md', texts, 'permission: {edit: allow}')
    expect(withoutVariableFiles(card)).toEqual({
      deny: ['shell.execute'],
      ask: ['web.fetch'],
      allow: ['filesystem.write'],
    })
    expect(card.problems).toMatchObject([
      { severity: 'warning', code: 'key_without_effect', file: '/p/opencode.json' },
    ])
  })

  it(`project rules of .claude/settings.json apply to the agents of that project and allow nothing ${verifies('R16')}`, () => {
    const texts = {
      '/p/.claude/settings.json':
        '{"permissions": {\n"allow": ["Write"], "deny": ["Bash(rm *)", "Read(./secrets/**)"],\n"ask": ["Read"]}}',
      '/p/.claude/settings.local.json': '{"permissions": {"deny": ["Bash"]}}',
    }
    const { definition } = read('/p/.claude/agents/team/a.md', texts)
    const source = '../../settings.json:2'
    expect(definition?.permissions).toEqual({
      deny: [
        { tool: 'shell.execute', argument: 'command', pattern: 'rm *', source },
        { tool: 'filesystem.read', argument: 'path', pattern: './secrets/**', source },
        { tool: 'filesystem.search', argument: 'path', pattern: './secrets/**', source },
        'shell.execute',
      ],
      ask: ['filesystem.read', 'filesystem.search', 'filesystem.write', 'web.fetch'],
      allow: [],
    })
    expect(definition?.tools.allow).not.toContain('shell.execute')
  })

  it.each([['Read'], ['Read(*)'], ['Read(**)'], ['Read(./secrets/**']])(
    `project rules of .claude/settings.json that deny reading also deny searching in files: %s ${verifies('R16')}`,
    (rule) => {
      const settings = JSON.stringify({ permissions: { deny: [rule] } })
      const { definition } = read('/p/.claude/agents/a.md', { '/p/.claude/settings.json': settings })
      expect(definition?.permissions.deny).toEqual(['filesystem.read', 'filesystem.search'])
    },
  )

  it.each([
    ['a broken file', '{"permissions": ', 'card_syntax'],
    ['a list that is text', '{"permissions": {"deny": "Bash"}}', 'card_bad_value'],
    ['no mapping', '{"permissions": ["Bash"]}', 'card_bad_value'],
    ['a rule that is not text', '{"permissions": {"deny": [{"tool": "Bash"}]}}', 'card_bad_value'],
    ['a file that is too large', ' '.repeat(1024 * 1024 + 1), 'card_too_large'],
  ])('project rules that cannot be parsed are an error in their file: %s', (_what, text, code) => {
    const file = '/p/.claude/settings.json'
    const { definition, problems } = read('/p/.claude/agents/a.md', { [file]: text })
    expect(definition).toBeUndefined()
    expect(problems).toMatchObject([{ severity: 'error', code, file, line: 1 }])
  })

  it('project rules do not change the definition of an agent when they move to another line', () => {
    const rules = '{"permissions": {"deny": ["Bash(rm *)"]}}'
    const digest = (text: string): string | undefined =>
      read('/p/.claude/agents/a.md', { '/p/.claude/settings.json': text }).definition?.digest
    expect(digest(`\n\n${rules}`)).toBe(digest(rules))
  })
})

describe('tools of GitHub Copilot', () => {
  const copilot = (tool: string): ParsedCard =>
    parseCard(`---\ndescription: d\ntools: ['${tool}']\n---\nx\n`, { path: '/p/.github/agents/a.agent.md' })

  it.each([
    ['search', ['filesystem.list', 'filesystem.search']],
    ['codebase', ['filesystem.list', 'filesystem.search']],
    ['search/*', ['filesystem.list', 'filesystem.search']],
    ['edit/*', ['filesystem.write']],
    ['edit/rename', []],
    ['read/readFile', ['filesystem.read']],
    ['read/viewImage', []],
    ['browser/openBrowserPage', []],
  ])(`a tool set grants no more than its own tools: %s ${verifies('R16')}`, (tool, allowed) => {
    const { definition, problems } = copilot(tool)
    expect(definition?.tools.allow).toEqual(allowed)
    expect(problems).toEqual([])
  })

  it(`an unknown tool of a tool set is a warning and grants nothing ${verifies('R16')}`, () => {
    const { definition, problems } = copilot('execute/everything')
    expect(definition?.tools.allow).toEqual([])
    expect(problems).toMatchObject([{ severity: 'warning', code: 'tool_unknown' }])
  })

  it.each([
    ['create_issue', undefined],
    ['new_task', undefined],
    ['notion-search', undefined],
    ['read_file', 'readFile'],
    ['codebse', 'codebase'],
    ['readFiles', 'readFile'],
  ])('a name of an MCP tool without its server suggests no tool of Copilot: %s', (name, near) => {
    const [problem] = copilot(name).problems
    const suggestion = near === undefined ? '.' : `; did you mean \`${near}\`?`
    expect(problem?.message).toBe(`\`tools\`: GitHub Copilot has no tool "${name}"${suggestion}`)
    expect(problem?.fix).toContain('`server/tool`')
  })
})

describe('models of another product', () => {
  const model = (name: string, path: string): readonly string[] | undefined =>
    parseCard(`---\ndescription: d\nmodel: ${JSON.stringify(name)}\n---\nx\n`, { path }).definition?.model

  it.each([
    ['sonnet', '/.claude/agents/a.md', ['anthropic/claude-sonnet-4-6']],
    ['inherit', '/.claude/agents/a.md', ['inherit']],
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
  ])('models of another product are converted to model ids of Troupe: %s', (name, path, expected) => {
    expect(model(name, path)).toEqual(expected)
  })
})
