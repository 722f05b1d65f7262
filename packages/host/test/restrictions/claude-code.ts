import { markdown, serverKeys, type RestrictedFile, type RestrictedFormat } from './restricted-file.ts'

const AGENT = '.claude/agents/a.md'
const SETTINGS = '.claude/settings.json'
const SERVERS = `{"mcpServers": {"tracker": {${serverKeys()}}}}`
const DENY_FIRST = 'Deny, then ask, then allow; the first match decides, however specific it is.'
const DEFAULTS = 'Reading is allowed; writing, the shell, the web and MCP tools ask.'

const agent = (keys: string): string => markdown(`name: a\ndescription: d\n${keys}`)
const settings = (permissions: object): string => JSON.stringify({ permissions })

const AGENTS: readonly RestrictedFile[] = [
  {
    title: 'a list of tools that only read',
    files: { [AGENT]: agent('tools: Read, Grep') },
    agent: 'a',
    rule: 'An agent has only the tools of its list.',
    allow: ['read src/a.ts', 'search src/a.ts'],
    deny: ['write src/a.ts', 'edit src/a.ts', 'shell: ls', 'fetch https://example.com', 'list src', 'todo'],
  },
  {
    title: 'an empty list of tools',
    files: { [AGENT]: agent('tools: []') },
    agent: 'a',
    rule: 'An agent has only the tools of its list.',
    deny: ['read src/a.ts', 'write src/a.ts', 'shell: ls', 'fetch https://example.com', 'agent helper'],
  },
  {
    title: 'disallowed tools',
    files: { [AGENT]: agent('disallowedTools: Write, Edit, Bash, WebFetch') },
    agent: 'a',
    rule: DEFAULTS,
    allow: ['read src/a.ts', 'list src', 'search src/a.ts', 'todo'],
    deny: ['write src/a.ts', 'edit src/a.ts', 'shell: ls', 'argv: ls', 'fetch https://example.com'],
  },
  {
    title: 'disallowed commands in an agent that is asked nothing',
    files: {
      [AGENT]: agent('permissionMode: bypassPermissions\ndisallowedTools: Bash(rm *), Bash(git push:*)'),
    },
    agent: 'a',
    rule: 'Denials hold in every mode. Each command of a line is compared, without assignments and wrappers.',
    allow: [
      'shell: ls',
      'shell: git log',
      'write src/a.ts',
      'shell: echo rm',
      "shell: sh -c 'rm x'",
      'shell: /bin/rm x',
    ],
    deny: [
      'shell: rm -rf x',
      'shell: rm',
      'argv: rm -rf x',
      'shell: ls && rm x',
      'shell: ls\nrm x',
      'shell: ls; rm x',
      'shell: ls | rm x',
      'shell: (rm x)',
      'shell: FOO=1 rm x',
      'shell: timeout 5 rm x',
      'shell: nohup rm x',
      'shell: ls | xargs rm',
      'shell: { rm x; }',
      'shell: if true; then rm x; fi',
      'shell: ! rm x',
      'shell: ls $(rm x)',
      'shell: ls `rm x`',
      'shell: ls & rm x',
      'shell: rm\tx',
      "shell: 'rm' x",
      String.raw`shell: \rm x`,
      'shell: r""m x',
      'shell: >log rm x',
      'shell: git push',
      'shell: git push origin main',
    ],
  },
  {
    title: 'a plan agent',
    files: { [AGENT]: agent('permissionMode: plan') },
    agent: 'a',
    rule: 'The mode plan changes nothing.',
    allow: ['read src/a.ts', 'search src/a.ts', 'list src'],
    ask: ['fetch https://example.com'],
    deny: ['write src/a.ts', 'edit src/a.ts', 'shell: rm -rf x'],
  },
  {
    title: 'an agent that must not ask',
    files: { [AGENT]: agent('permissionMode: dontAsk'), '.mcp.json': SERVERS },
    agent: 'a',
    rule: 'The mode dontAsk denies every call that would ask.',
    allow: ['read src/a.ts', 'list src'],
    deny: [
      'write src/a.ts',
      'shell: npm test',
      'fetch https://example.com',
      'mcp tracker close',
      'mcp tracker wipe',
    ],
  },
  {
    title: 'some tools of an MCP server',
    files: { [AGENT]: agent('tools: Read, mcp__tracker__list'), '.mcp.json': SERVERS },
    agent: 'a',
    rule: 'An agent has only the tools of its list. MCP tools ask.',
    allow: ['read src/a.ts'],
    ask: ['mcp tracker list'],
    deny: ['mcp tracker close', 'mcp tracker wipe', 'mcp tracker LIST', 'shell: ls', 'write src/a.ts'],
  },
  {
    title: 'disallowed MCP tools',
    files: {
      [AGENT]: agent('disallowedTools: mcp__tracker__close*, mcp__tracker__delete'),
      '.mcp.json': SERVERS,
    },
    agent: 'a',
    rule: 'Denials may be globs. MCP tools ask.',
    ask: ['mcp tracker list', 'mcp tracker wipe', 'shell: ls'],
    deny: ['mcp tracker close', 'mcp tracker close_all', 'mcp tracker delete'],
  },
  {
    title: 'an agent for notebooks',
    files: { [AGENT]: agent('tools: NotebookRead, NotebookEdit\npermissionMode: bypassPermissions') },
    agent: 'a',
    rule: 'An agent has only the tools of its list, and those for notebooks handle nothing else.',
    allow: ['read notes.ipynb'],
    deny: ['read src/a.ts', 'read .env', 'write src/a.ts', 'edit src/a.ts', 'write a.ipynb.ts', 'shell: ls'],
  },
  {
    title: 'one agent to call',
    files: {
      [AGENT]: agent('tools: Read, Agent(helper)'),
      '.claude/agents/helper.md': markdown('name: helper\ndescription: d\ntools: Read'),
      '.claude/agents/other.md': markdown('name: other\ndescription: d\ntools: Read'),
    },
    cards: ['.claude/agents'],
    agent: 'a',
    rule: 'Agent(name) allows only the agents that it names.',
    allow: ['agent helper', 'read src/a.ts'],
    deny: ['agent other', 'shell: ls'],
  },
]

const PROJECTS: readonly RestrictedFile[] = [
  {
    title: 'denied and asked commands of the project',
    files: {
      [AGENT]: agent('permissionMode: bypassPermissions'),
      [SETTINGS]: settings({
        deny: ['Bash(rm *)', 'Bash(curl:*)'],
        ask: ['Bash(git push *)'],
        allow: ['Bash(rm -i *)', 'Bash(git push --dry-run)'],
      }),
    },
    agent: 'a',
    rule: `${DENY_FIRST} Rules hold in every mode.`,
    allow: ['shell: ls', 'shell: git status', 'shell: git -c alias.x=push x', 'shell: env rm x'],
    ask: ['shell: git push origin', 'shell: git push --dry-run', 'shell: ls && git push'],
    deny: [
      'shell: rm x',
      'shell: rm -i x',
      'shell: curl https://x',
      'shell: git status; curl x',
      'shell: time rm x',
    ],
  },
  {
    title: 'files that may not be read',
    files: {
      [AGENT]: agent('permissionMode: acceptEdits'),
      [SETTINGS]: settings({ deny: ['Read(./.env)', 'Read(./secrets/**)'] }),
    },
    links: { public: 'secrets' },
    agent: 'a',
    rule: 'Read rules apply to all file tools, with links resolved, but not to commands of the shell.',
    allow: ['read src/a.ts', 'read .env.example', 'search src/a.ts', 'write src/a.ts', 'list src'],
    ask: ['shell: cat .env'],
    deny: [
      'read .env',
      'read ./.env',
      'read src/../.env',
      'read $ROOT/.env',
      'read $ROOT/src/../.env',
      'read .ENV',
      'read ../outside',
      'read secrets/key',
      'read ./secrets//key',
      'read public/key',
      'search secrets/key',
      'search .env',
    ],
  },
  {
    title: 'files that may not be edited',
    files: {
      [AGENT]: agent('permissionMode: bypassPermissions'),
      [SETTINGS]: settings({ deny: ['Edit(/docs/**)', 'Edit(*.lock)', 'Edit(//etc/**)'] }),
    },
    agent: 'a',
    rule: 'Edit rules apply to all tools that write. A leading slash is the folder of the project.',
    allow: ['write src/a.ts', 'read docs/guide.md', 'edit src/a.ts'],
    deny: [
      'write docs/guide.md',
      'edit docs/guide.md',
      'write docs/deep/new.md',
      'write yarn.lock',
      'write src/b.lock',
    ],
  },
  {
    title: 'files that grant tools',
    files: { [AGENT]: agent('permissionMode: bypassPermissions'), [SETTINGS]: settings({}) },
    agent: 'a',
    rule: 'Writing settings, agents and servers asks in every mode.',
    allow: ['write src/a.ts', 'read .claude/settings.json'],
    ask: [
      'write .claude/settings.json',
      'write .mcp.json',
      'write .vscode/mcp.json',
      'write .claude/agents/b.md',
    ],
  },
  {
    title: 'domains that may not be fetched',
    files: { [AGENT]: agent(''), [SETTINGS]: settings({ deny: ['WebFetch(domain:example.com)'] }) },
    agent: 'a',
    rule: `${DEFAULTS} A domain rule compares the host.`,
    ask: ['fetch https://example.org', 'fetch https://example.com.evil.org', 'fetch https://notexample.com'],
    deny: ['fetch https://example.com', 'fetch https://EXAMPLE.com/x', 'fetch https://example.com./x'],
  },
  {
    title: 'a whole server denied by its name',
    files: { [AGENT]: agent(''), '.mcp.json': SERVERS, [SETTINGS]: settings({ deny: ['mcp__tracker'] }) },
    agent: 'a',
    rule: DENY_FIRST,
    ask: ['shell: ls'],
    deny: ['mcp tracker list', 'mcp tracker close', 'mcp tracker wipe'],
  },
  {
    title: 'every server denied, and a misspelt case',
    files: {
      [AGENT]: agent(''),
      '.mcp.json': SERVERS,
      [SETTINGS]: settings({ deny: ['mcp__*', 'bash', 'WebFetch(*)'], ask: ['Read'] }),
    },
    agent: 'a',
    rule: `${DENY_FIRST} Globs name several tools.`,
    ask: ['read src/a.ts', 'write src/a.ts'],
    deny: ['mcp tracker list', 'fetch https://example.com', 'mcp tracker wipe'],
  },
  {
    title: 'tools denied by a glob of their names',
    files: {
      [AGENT]: agent(''),
      [SETTINGS]: settings({ deny: ['Web*', 'NotebookEdit', 'mcp__*__delete'] }),
      '.mcp.json': SERVERS,
    },
    agent: 'a',
    rule: `${DENY_FIRST} Globs name several tools.`,
    allow: ['read src/a.ts'],
    ask: ['mcp tracker list', 'shell: ls', 'write src/a.ts'],
    deny: ['fetch https://example.com', 'mcp tracker delete', 'write notes.ipynb', 'edit notes.ipynb'],
  },
  {
    title: 'a project without the mode that asks nothing',
    files: {
      [AGENT]: agent('permissionMode: bypassPermissions'),
      [SETTINGS]: settings({ disableBypassPermissionsMode: 'disable' }),
    },
    agent: 'a',
    rule: '`disableBypassPermissionsMode` switches the mode off, so the defaults apply.',
    allow: ['read src/a.ts'],
    ask: ['shell: ls', 'write src/a.ts', 'fetch https://example.com'],
  },
  {
    title: 'a project that plans by default',
    files: { [AGENT]: agent(''), [SETTINGS]: settings({ defaultMode: 'plan' }) },
    agent: 'a',
    rule: 'An agent without a mode has that of the session, which is plan.',
    allow: ['read src/a.ts'],
    deny: ['write src/a.ts', 'shell: rm -rf x'],
  },
  {
    title: 'settings of the user and the project together',
    files: {
      [AGENT]: agent('tools: Read, Write, Bash'),
      [SETTINGS]: settings({ deny: ['Bash(npm publish *)'] }),
      '.claude/settings.local.json': settings({ ask: ['Read(docs/**)'], deny: ['Write'] }),
    },
    agent: 'a',
    rule: `The lists of all settings are merged. ${DENY_FIRST}`,
    allow: ['read src/a.ts'],
    ask: ['read docs/guide.md', 'shell: npm test'],
    deny: [
      'write src/a.ts',
      'shell: npm publish',
      'shell: CI=1 npm publish --tag x',
      'shell: npm test && npm publish x',
    ],
  },
  {
    title: 'agents that may not be called',
    files: {
      [AGENT]: agent('tools: Read, Agent(helper, other)'),
      '.claude/agents/helper.md': markdown('name: helper\ndescription: d\ntools: Read'),
      '.claude/agents/other.md': markdown('name: other\ndescription: d\ntools: Read'),
      [SETTINGS]: settings({ deny: ['Agent(other)'] }),
    },
    cards: ['.claude/agents'],
    agent: 'a',
    rule: DENY_FIRST,
    allow: ['agent helper'],
    deny: ['agent other', 'shell: ls'],
  },
]

const COMMANDS_AND_PLUGINS: readonly RestrictedFile[] = [
  {
    title: 'a command that only runs git',
    files: {
      '.claude/commands/log.md': markdown('description: d\nallowed-tools: Bash(git log:*), Read'),
      [SETTINGS]: settings({ deny: ['Bash(git log --all*)'] }),
    },
    agent: 'command:log',
    rule: 'A command has the tools of its list, of which the named calls do not ask.',
    allow: ['read src/a.ts', 'shell: git log -3'],
    ask: ['shell: rm x', 'shell: git push'],
    deny: ['shell: git log --all', 'write src/a.ts', 'fetch https://example.com'],
  },
  {
    title: 'a command with disallowed tools',
    files: {
      '.claude/commands/look.md': markdown('description: d\ndisallowed-tools: Write, Edit, Bash(rm *)'),
    },
    agent: 'command:look',
    rule: DEFAULTS,
    allow: ['read src/a.ts'],
    ask: ['shell: ls'],
    deny: ['write src/a.ts', 'shell: rm x', 'shell: FOO=1 rm x'],
  },
  {
    title: 'a command in a project that must not ask',
    files: {
      '.claude/commands/do.md': markdown('description: d'),
      '.mcp.json': SERVERS,
      [SETTINGS]: settings({ defaultMode: 'dontAsk' }),
    },
    agent: 'command:do',
    rule: 'The mode dontAsk denies every call that would ask.',
    allow: ['read src/a.ts', 'todo'],
    deny: ['write src/a.ts', 'shell: npm test', 'fetch https://example.com', 'mcp tracker list'],
  },
  {
    title: 'an agent of a plugin, whose mode does not count',
    files: {
      'plugin/agents/a.md': agent(
        'permissionMode: bypassPermissions\ndisallowedTools: mcp__plugin_kit_tracker__delete',
      ),
      'plugin/.claude-plugin/plugin.json': '{"name": "kit", "description": "d"}',
      'plugin/.mcp.json': SERVERS,
      [SETTINGS]: settings({ deny: ['mcp__plugin_kit_tracker__close', 'Bash(rm *)'] }),
    },
    cards: ['plugin'],
    agent: 'a',
    rule: `Agents of plugins cannot set a mode. The rules of the project apply. ${DEFAULTS}`,
    allow: ['read src/a.ts'],
    ask: ['shell: ls', 'write src/a.ts', 'mcp plugin_kit_tracker list'],
    deny: ['shell: rm x', 'mcp plugin_kit_tracker close', 'mcp plugin_kit_tracker delete'],
  },
]

/** Agents of Claude Code, with the settings of their projects. */
export const CLAUDE_CODE: RestrictedFormat = { format: 'Claude Code', files: [...AGENTS, ...PROJECTS] }

/** Commands and plugins of Claude Code. */
export const CLAUDE_COMMANDS: RestrictedFormat = {
  format: 'Claude Code commands and plugins',
  files: COMMANDS_AND_PLUGINS,
}
