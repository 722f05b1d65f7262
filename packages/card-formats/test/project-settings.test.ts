import { posix } from 'node:path'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { parseCard, parseCards, type ParsedCard } from './cards.ts'

type Files = Readonly<Record<string, unknown>>

/** Parses the cards of a file in a project with these files, by absolute path. */
function inProject(path: string, text: string, files: Files): readonly ParsedCard[] {
  const texts = new Map(
    Object.entries(files).map(([file, value]) => [
      file,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
  return parseCards(text, {
    path,
    workspace: '/p',
    home: '/home/u',
    readProjectFile: (file) => texts.get(posix.normalize(file)),
    readText: (file) => {
      const found = texts.get(posix.normalize(file))
      if (found === undefined) throw new Error('missing')
      return found
    },
  })
}

const firstOf = ([card]: readonly ParsedCard[]): ParsedCard => card ?? parseCard('', { path: '/p/none.md' })
const problemsOf = ({ problems }: ParsedCard): readonly string[] =>
  problems.map(({ severity, file, message }) => `${severity} ${file} ${message}`)

const claude = (settings: unknown, keys = '', file = '/p/.claude/settings.json'): ParsedCard =>
  firstOf(
    inProject('/p/.claude/agents/a.md', `---\nname: a\ndescription: d\n${keys}---\nx\n`, {
      [file]: settings,
    }),
  )

describe('settings of Claude Code', () => {
  it.each<[string, unknown, string]>([
    ['allow rules', { permissions: { allow: ['Bash'] } }, '`permissions.allow` has no effect'],
    [
      'more folders',
      { permissions: { additionalDirectories: ['../x'] } },
      '`permissions.additionalDirectories`',
    ],
    ['hooks', { hooks: { PreToolUse: [{}] } }, '`hooks` has no effect'],
    ['variables', { env: { A: 'b' } }, '`env` has no effect'],
    ['plugins', { enabledPlugins: { 'a@b': true } }, '`enabledPlugins` has no effect'],
  ])(`a key that changes what agents do is a warning: %s ${verifies('R16')}`, (_name, settings, message) => {
    expect(problemsOf(claude(settings))).toEqual([
      expect.stringContaining(`warning /p/.claude/settings.json ${message}`),
    ])
  })

  it('keys without a value, or for the interface alone, cause no warning', () => {
    const settings = { hooks: {}, env: {}, permissions: { allow: [] }, statusLine: { type: 'command' } }
    const card = claude(settings)
    expect(card.problems).toEqual([])
    expect(card.report).toContainEqual(
      expect.objectContaining({ key: '../settings.json: statusLine', status: 'ignored' }),
    )
  })

  it('settings of the user only restrict: their other keys are reported without a warning', () => {
    const settings = { hooks: { Stop: [{}] }, model: 'opus', permissions: { deny: ['Bash'] } }
    const card = claude(settings, '', '/home/u/.claude/settings.json')
    expect(card.problems).toEqual([])
    expect(card.definition).toMatchObject({ model: [], permissions: { deny: ['shell.execute'] } })
    expect(card.report.map(({ key }) => key)).toContain('../../../home/u/.claude/settings.json: hooks')
  })

  it.each([
    ['the model', { model: 'opus' }, '', { model: ['anthropic/claude-opus-4-7'] }],
    ['the model, unless the agent has one', { model: 'opus' }, 'model: x/y\n', { model: ['x/y'] }],
    ['the effort', { effortLevel: 'high' }, '', { settings: { reasoning: 'high' } }],
  ])('an agent without a value of its own gets %s of the project', (_name, settings, keys, expected) => {
    expect(claude(settings, keys).definition).toMatchObject(expected)
  })

  it('the agent that the project names is the entry', () => {
    expect(claude({ agent: 'a' }).isDefault).toBe(true)
    expect(claude({ agent: 'b' }).isDefault).toBe(false)
  })

  it.each([
    ['plan', []],
    ['dontAsk', ['web.fetch', 'web.search', 'human.ask']],
  ])('the default mode %s denies changes to agents without a mode', (defaultMode, others) => {
    const settings = { permissions: { defaultMode } }
    const changing = ['filesystem.write', 'shell.execute']
    expect(claude(settings).definition?.permissions.deny).toEqual([...changing, ...others])
    expect(claude(settings, 'permissionMode: default\n').definition?.permissions.deny).toEqual([])
  })

  it('a project may forbid `bypassPermissions`', () => {
    const bypass = 'permissionMode: bypassPermissions\n'
    const asks = claude({ permissions: { disableBypassPermissionsMode: 'disable' } }, bypass).definition
    expect(asks?.permissions.ask).toContain('shell.execute')
    expect(asks?.toolPermission).not.toBe('never')
    expect(claude({}, bypass).definition?.toolPermission).toBe('never')
  })

  it('every command needs approval in a project with a sandbox, whatever the mode of the agent', () => {
    const card = claude({ sandbox: { enabled: true } }, 'permissionMode: bypassPermissions\n')
    expect(card.definition?.permissions.ask).toContain('shell.execute')
    expect(problemsOf(card)).toEqual([expect.stringContaining('`sandbox` has no effect')])
  })

  it('a server that the settings deny by name is left out, and other forms are errors', () => {
    const card = (denied: unknown): ParsedCard =>
      firstOf(
        inProject('/p/.claude/agents/a.md', '---\nname: a\ndescription: d\n---\nx\n', {
          '/p/.mcp.json': { gh: { url: 'https://x.example' } },
          '/p/.claude/settings.json': { deniedMcpServers: [denied] },
        }),
      )
    expect(card({ serverName: 'gh' }).definition?.mcpServers).toEqual({})
    expect(problemsOf(card({ serverUrl: 'https://*' }))).toEqual([
      expect.stringContaining('only entries with `serverName` are supported'),
    ])
  })
})

describe('a server of another product', () => {
  const server = (definition: object, file = '/p/.mcp.json'): ParsedCard =>
    firstOf(
      inProject('/p/.claude/agents/a.md', '---\nname: a\ndescription: d\n---\nx\n', {
        [file]: { mcpServers: { s: definition } },
      }),
    )

  it('OAuth, timeouts and the folder of the project are taken over', () => {
    const oauth = { clientId: 'me', callbackPort: 8080, scopes: ['a', 'b'] }
    expect(
      server({ url: 'https://x.example', oauth, timeout: 5000 }).definition?.mcpServers['s'],
    ).toMatchObject({
      auth: { clientId: 'me', redirectPort: 8080, scope: 'a b' },
      toolTimeout: 5000,
    })
    const args = ['${CLAUDE_PROJECT_DIR:-.}/notes', '${OTHER:-x}']
    expect(server({ command: 'x', args }).definition?.mcpServers['s']).toMatchObject({
      args: ['/p/notes', '${OTHER:-x}'],
    })
  })

  it.each([
    ['headersHelper', 'warning'],
    ['sandboxEnabled', 'error'],
    ['disabledTools', 'error'],
  ])('%s of a server is a problem at its place in the file', (key, severity) => {
    const card = server({ url: 'https://x.example', [key]: true })
    expect(card.problems).toMatchObject([{ severity, file: '/p/.mcp.json', line: 1 }])
    expect(card.problems[0]?.message).toContain(`\`${key}\` of the MCP server s`)
  })

  it('a configuration of Claude Desktop defines servers, too', () => {
    const card = server({ command: 'x' }, '/p/claude_desktop_config.json')
    expect(Object.keys(card.definition?.mcpServers ?? {})).toEqual(['s'])
  })
})

describe('settings of opencode', () => {
  const opencode = (settings: unknown, keys = ''): ParsedCard =>
    firstOf(
      inProject('/p/.opencode/agents/a.md', `---\ndescription: d\n${keys}---\nx\n`, {
        '/p/opencode.json': settings,
      }),
    )

  it.each(['instructions', 'plugin', 'skills', 'formatter', 'compaction', 'tool_output', 'json_response'])(
    `the key %s of opencode.json is a warning ${verifies('R16')}`,
    (key) => {
      expect(problemsOf(opencode({ [key]: ['x'] }))).toEqual([
        expect.stringContaining(`warning /p/opencode.json \`${key}\` has no effect`),
      ])
    },
  )

  it('policies that cannot be enforced are errors', () => {
    expect(problemsOf(opencode({ experimental: { policies: [{}] } }))).toEqual([
      expect.stringContaining('error /p/opencode.json `experimental.policies`'),
    ])
  })

  it.each([
    [{ disabled_providers: ['x'] }, 1],
    [{ enabled_providers: ['z'] }, 1],
    [{ enabled_providers: ['x'], disabled_providers: ['z'] }, 0],
  ])('a model of a provider that is not enabled is an error: %j', (settings, errors) => {
    const { problems } = opencode({ ...settings, model: 'x/y' })
    expect(problems.filter(({ severity }) => severity === 'error')).toHaveLength(errors)
  })

  it('a subagent does not get tools that only primary agents have', () => {
    const settings = { experimental: { primary_tools: ['webfetch', 'bash'] } }
    const tools = (mode: string): readonly string[] =>
      (opencode(settings, `mode: ${mode}\n`).definition?.tools.allow ?? []).filter((tool) =>
        ['web.fetch', 'shell.execute'].includes(tool),
      )
    expect(tools('subagent')).toEqual([])
    expect(tools('primary')).toEqual(['shell.execute', 'web.fetch'])
  })

  it('a denied tool is not offered, and a rule that a stricter one replaces causes no warning', () => {
    const settings = { permission: { edit: 'deny', bash: { '*': 'ask', 'git push*': 'deny' } } }
    const card = opencode(settings, 'permission:\n  bash: deny\n')
    expect(card.problems).toEqual([])
    expect(card.definition?.tools.allow).toEqual(
      expect.not.arrayContaining(['filesystem.write', 'shell.execute']),
    )
    expect(card.definition?.permissions.deny).toEqual(['filesystem.write', 'shell.execute'])
    expect(problemsOf(opencode(settings, 'permission:\n  bash: allow\n'))).toEqual([
      expect.stringContaining('`../../opencode.json: permission.bash.git push*` denies nothing'),
    ])
  })

  it('rules of the user apply to the agents of every project, but not other settings of the user', () => {
    const settings = {
      permission: { bash: 'deny' },
      model: 'x/y',
      plugin: ['x'],
      mcp: { a: { command: ['x'] } },
    }
    const text = '---\ndescription: d\n---\nx\n'
    const files = { '/home/u/.config/opencode/opencode.json': settings }
    const card = firstOf(inProject('/p/.opencode/agents/a.md', text, files))
    expect(card.problems).toEqual([])
    expect(card.definition).toMatchObject({
      model: [],
      mcpServers: {},
      permissions: { deny: ['shell.execute'] },
    })
    const own = firstOf(inProject('/home/u/.config/opencode/agents/a.md', text, files))
    expect(own.definition).toMatchObject({ model: ['x/y'], mcpServers: { a: { command: 'x' } } })
    expect(own.problems).toHaveLength(1)
    const inFile = JSON.stringify({ agent: { b: { prompt: 'x', description: 'd' } } })
    const [declared] = inProject('/p/opencode.json', inFile, files)
    expect(declared?.definition?.permissions.deny).toEqual(['shell.execute'])
  })

  it('a command has the model of the project', () => {
    const card = firstOf(
      inProject('/p/.opencode/commands/a.md', 'Do it.\n', { '/p/opencode.json': { model: 'x/y' } }),
    )
    expect(card.definition?.model).toEqual(['x/y'])
  })

  it('providers with an address become providers of the team', () => {
    const provider = {
      local: { npm: '@ai-sdk/openai-compatible', options: { baseURL: 'http://x/v1', apiKey: '{env:KEY}' } },
      anthropic: { options: { timeout: 1 } },
    }
    expect(opencode({ provider }).providers).toEqual({
      local: { baseURL: 'http://x/v1', api: 'chat', apiKey: '${KEY}' },
    })
  })

  it('commands in opencode.json are agents', () => {
    const file = {
      model: 'x/y',
      permission: { bash: 'deny' },
      agent: { build: { prompt: 'Build.', description: 'Builds.' } },
      command: { test: { template: 'Test $ARGUMENTS.', description: 'Tests.', agent: 'build' } },
    }
    const cards = inProject('/p/opencode.json', JSON.stringify(file), {})
    expect(cards.map(({ definition }) => definition?.name)).toEqual(['build', 'command:test'])
    expect(cards[1]?.definition).toMatchObject({
      model: ['x/y'],
      agents: ['build'],
      permissions: { deny: ['shell.execute'] },
    })
    expect(cards[1]?.definition?.instruction).toMatch(
      /^Let the agent build do[^]+Test \$ARGUMENTS\.\n\nIn the text/u,
    )
  })
})

describe('settings of Codex', () => {
  const agent = 'developer_instructions = "Look."\n'
  const config = (text: string, files: Files = {}): readonly ParsedCard[] =>
    inProject('/p/.codex/config.toml', text, { '/p/.codex/roles/look.toml': agent, ...files })

  it('config.toml declares agents in other files', () => {
    const [card] = config(
      'model = "m"\nsandbox_mode = "read-only"\n[agents]\nmax_threads = 2\n[agents.look]\ndescription = "Looks."\nconfig_file = "roles/look.toml"\n',
    )
    expect(card?.definition).toMatchObject({
      name: 'look',
      description: 'Looks.',
      instruction: 'Look.',
      model: ['openai/m'],
      permissions: { deny: ['filesystem.write', 'shell.execute'] },
    })
    expect(problemsOf(firstOf(card === undefined ? [] : [card]))).toEqual([
      expect.stringContaining('`agents.max_threads` has no effect'),
    ])
  })

  it.each(['roles/missing.toml', '/etc/look.toml'])(
    'a declared file that cannot be read is an error: %s',
    (file) => {
      const [card] = config(`[agents.look]\nconfig_file = "${file}"\n`)
      expect(card?.definition).toBeUndefined()
      expect(card?.problems[0]).toMatchObject({ severity: 'error', code: 'card_unreadable' })
    },
  )

  it('an agent in `.codex/agents` has the name and description that config.toml declares', () => {
    const card = firstOf(
      inProject('/p/.codex/agents/x.toml', agent, {
        '/p/.codex/config.toml': '[agents.look]\ndescription = "Looks."\nconfig_file = "agents/x.toml"\n',
      }),
    )
    expect(card.definition).toMatchObject({ name: 'look', description: 'Looks.' })
  })

  it.each([
    [':read-only', ['filesystem.write', 'shell.execute'], 0],
    [':workspace', [], 0],
    ['strict', undefined, 1],
  ])('the profile %s is enforced or refused', (profile, deny, errors) => {
    const text = `name = "a"\ndescription = "d"\ndefault_permissions = "${profile}"\n${agent}`
    const card = firstOf(inProject('/p/.codex/agents/a.toml', text, {}))
    expect(card.definition?.permissions.deny).toEqual(deny)
    expect(card.problems).toHaveLength(errors)
  })

  it('a server that asks before its tools needs approval', () => {
    const text = `name = "a"\ndescription = "d"\n${agent}[mcp_servers.s]\ncommand = "x"\n[mcp_servers.s.tools.write]\napproval_mode = "prompt"\n[mcp_servers.t]\ncommand = "x"\ndefault_tools_approval_mode = "prompt"\n`
    const card = firstOf(inProject('/p/.codex/agents/a.toml', text, {}))
    expect(card.definition?.mcpServers).toMatchObject({
      s: { requiresApproval: ['write'] },
      t: { requiresApproval: true },
    })
  })
})

describe('settings of Gemini CLI', () => {
  const gemini = (settings: unknown, keys = '', file = '/p/.gemini/settings.json'): ParsedCard =>
    firstOf(
      inProject('/p/.gemini/agents/a.md', `---\nname: a\ndescription: d\n${keys}---\nx\n`, {
        [file]: settings,
      }),
    )

  it.each(['/p/.gemini/settings.json', '/home/u/.gemini/settings.json'])(
    `tools that %s excludes are denied ${verifies('R16')}`,
    (file) => {
      const exclude = ['write_file', 'run_shell_command(rm -rf)']
      const { definition } = gemini({ tools: { exclude } }, '', file)
      expect(definition?.tools.allow).not.toContain('filesystem.write')
      expect(definition?.permissions.deny).toEqual([
        'filesystem.write',
        expect.objectContaining({ tool: 'shell.execute', argument: 'command', pattern: 'rm -rf*' }),
      ])
    },
  )

  it('a list of core tools removes all others', () => {
    expect(
      gemini({ tools: { core: ['read_file', 'run_shell_command(git)'] } }).definition?.tools.allow,
    ).toEqual(['filesystem.read', 'shell.execute'])
  })

  it('agents get the servers of the project that are allowed, with their tools', () => {
    const server = { command: 'x' }
    const settings = {
      mcpServers: { a: { ...server, includeTools: ['one'], excludeTools: ['two'] }, b: server, c: server },
      mcp: { allowed: ['a', 'b'], excluded: ['b'] },
    }
    const { definition } = gemini(settings)
    expect(Object.keys(definition?.mcpServers ?? {})).toEqual(['a'])
    expect(definition?.tools.allow?.filter((tool) => tool.includes('__'))).toEqual(['a__one'])
    expect(definition?.permissions.deny).toEqual(['a__two'])
    expect(gemini(settings, 'tools: [read_file]\n').definition?.mcpServers).toEqual({})
  })

  it('a command has the rules of the project, and keys without effect are warnings', () => {
    const [card] = inProject('/p/.gemini/commands/x.toml', 'prompt = "x"\ndescription = "d"\n', {
      '/p/.gemini/settings.json': { excludeTools: ['run_shell_command'], hooks: { x: [{}] } },
    })
    expect(card?.definition?.permissions.deny).toEqual(['shell.execute'])
    expect(card?.problems).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('`hooks` has no effect') },
    ])
  })
})
