import { markdown, serverCommand, type RestrictedFile, type RestrictedFormat } from './restricted-file.ts'

const AGENT = '.opencode/agents/a.md'
const LAST = 'The last rule that matches decides. What no rule names is allowed, but reading `.env` asks.'
const ALL = 'allow'

function server(name: string): object {
  const { command, args } = serverCommand()
  return { [name]: { type: 'local', command: [JSON.parse(command), ...(JSON.parse(args) as string[])] } }
}

const agent = (keys: string): string => markdown(`description: d\n${keys}`)
const withRules = (permission: unknown): string => agent(`permission: ${JSON.stringify(permission)}`)

const AGENTS: readonly RestrictedFile[] = [
  {
    title: 'tools switched off',
    files: { [AGENT]: agent('tools: {write: false, edit: false, bash: false, webfetch: false}') },
    agent: 'a',
    rule: LAST,
    allow: ['read src/a.ts', 'list src', 'search src/a.ts'],
    deny: ['write src/a.ts', 'edit src/a.ts', 'shell: ls', 'fetch https://example.com'],
  },
  {
    title: 'tools switched off by globs',
    files: {
      [AGENT]: agent('tools: {"web*": false, "tra*": false, "*_all": false}'),
      'opencode.json': JSON.stringify({ mcp: { ...server('tracker'), ...server('git') } }),
    },
    agent: 'a',
    rule: `${LAST} A glob names tools of every kind; MCP tools are server_tool.`,
    allow: ['read src/a.ts', 'mcp git list'],
    deny: ['fetch https://example.com', 'mcp tracker list', 'mcp tracker close', 'mcp git close_all'],
  },
  {
    title: 'all tools off but two',
    files: { [AGENT]: agent('tools: {"*": false, read: true, grep: true}') },
    agent: 'a',
    rule: LAST,
    allow: ['read src/a.ts', 'search src/a.ts'],
    deny: ['write src/a.ts', 'shell: ls', 'list src', 'fetch https://example.com', 'todo'],
  },
  {
    title: 'commands denied',
    files: { [AGENT]: withRules({ bash: { '*': ALL, 'rm *': 'deny', 'git push*': 'ask' } }) },
    agent: 'a',
    rule: `${LAST} Each command of a line is compared; a pattern is compared with the whole command.`,
    allow: [
      'shell: ls',
      'shell: git status',
      "shell: sh -c 'rm x'",
      'shell: env rm x',
      'shell: /bin/rm x',
      'shell: git -c a=b push',
      'shell: FOO=1 env rm x',
    ],
    ask: [
      'shell: git push',
      'shell: git push origin',
      'shell: ls && git push',
      'shell: cat /etc/hostname',
      'shell: cd .. && ls',
    ],
    deny: [
      'shell: rm',
      'shell: rm -rf x',
      'argv: rm -rf x',
      'shell: ls && rm x',
      'shell: ls\nrm x',
      'shell: FOO=1 rm x',
      'shell: ls $(rm x)',
      'shell: if true; then rm x; fi',
    ],
  },
  {
    title: 'commands denied but for some',
    files: { [AGENT]: withRules({ bash: { '*': 'deny', 'git *': ALL, 'git push *': 'deny' } }) },
    agent: 'a',
    rule: LAST,
    allow: ['shell: git status', 'argv: git log'],
    deny: [
      'shell: ls',
      'shell: git push',
      'shell: git push origin',
      'shell: git status; ls',
      'shell: git status && git push',
    ],
  },
  {
    title: 'everything asks but reading',
    files: { [AGENT]: withRules({ '*': 'ask', read: ALL, list: ALL }) },
    agent: 'a',
    rule: LAST,
    allow: ['read src/a.ts', 'list src'],
    ask: ['write src/a.ts', 'shell: ls', 'fetch https://example.com', 'search src/a.ts', 'todo'],
  },
  {
    title: 'everything denied but reading',
    files: { [AGENT]: withRules({ '*': 'deny', read: ALL }) },
    agent: 'a',
    rule: LAST,
    allow: ['read src/a.ts'],
    deny: ['write src/a.ts', 'shell: ls', 'fetch https://example.com', 'list src', 'search src/a.ts', 'todo'],
  },
  {
    title: 'files denied',
    files: {
      [AGENT]: withRules({
        edit: { '*': 'ask', 'docs/*': ALL, '*.lock': 'deny' },
        read: { '*': ALL, 'secrets/*': 'deny' },
      }),
    },
    links: { public: 'secrets' },
    agent: 'a',
    rule: `${LAST} \`*\` also matches slashes.`,
    allow: ['read src/a.ts', 'write docs/guide.md', 'write docs/deep/new.md'],
    ask: ['write src/a.ts', 'edit src/a.ts'],
    deny: [
      'write yarn.lock',
      'write docs/a.lock',
      'read secrets/key',
      'read ./secrets/key',
      'read src/../secrets/key',
    ],
  },
  {
    title: 'files with variables, without a rule for reading',
    files: { [AGENT]: agent('mode: primary') },
    agent: 'a',
    rule: LAST,
    allow: ['read src/a.ts', 'read .env.example', 'shell: ls', 'write src/a.ts'],
    ask: ['read .env', 'read ./.env', 'read src/../.env'],
  },
  {
    title: 'tools of servers denied, whose names begin alike',
    files: {
      [AGENT]: withRules({
        'git_*': 'ask',
        git_hub_delete: 'deny',
        'git_hub_close*': 'deny',
        '*_list': 'deny',
      }),
      'opencode.json': JSON.stringify({ mcp: { ...server('git'), ...server('git_hub') } }),
    },
    agent: 'a',
    rule: LAST,
    ask: ['mcp git close', 'mcp git delete', 'mcp git_hub wipe', 'mcp git_hub echo'],
    deny: [
      'mcp git_hub delete',
      'mcp git_hub close',
      'mcp git_hub close_all',
      'mcp git list',
      'mcp git_hub list',
    ],
  },
  {
    title: 'words that may not be searched for',
    files: {
      [AGENT]: withRules({
        grep: { '*': ALL, '*password*': 'deny' },
        webfetch: { '*': 'ask', 'https://example.com/*': 'deny' },
      }),
    },
    agent: 'a',
    rule: `${LAST} For grep, patterns are compared with the text that is searched for.`,
    allow: ['grep a'],
    ask: ['fetch https://example.org/a'],
    deny: ['grep password', 'grep my password is', 'fetch https://example.com/a'],
  },
  {
    title: 'files outside the project denied',
    files: { [AGENT]: withRules({ bash: ALL, external_directory: { '*': 'deny', '~/shared/**': ALL } }) },
    agent: 'a',
    rule: `${LAST} external_directory applies to commands with paths as well.`,
    allow: ['read src/a.ts', 'shell: ls'],
    deny: ['shell: cat /etc/hostname', 'shell: rm ../x', 'read ../outside', 'read /etc/hostname'],
  },
  {
    title: 'files outside the project asked about',
    files: { [AGENT]: withRules({ bash: { '*': ALL, 'rm *': 'deny' }, external_directory: 'ask' }) },
    agent: 'a',
    rule: `${LAST} external_directory applies to commands with paths as well.`,
    allow: ['read src/a.ts', 'shell: ls'],
    ask: ['shell: cat /etc/hostname', 'read ../outside'],
    deny: ['shell: rm ../x'],
  },
  {
    title: 'a list of rules in the newer form',
    files: {
      [AGENT]: agent(
        'permissions: [{action: read, effect: allow}, {action: bash, resource: "git *", effect: allow}, {action: edit, resource: "docs/*", effect: deny}]',
      ),
    },
    agent: 'a',
    rule: 'The last rule that matches decides. What no rule names asks.',
    allow: ['read src/a.ts', 'shell: git log'],
    ask: ['shell: ls', 'write src/a.ts', 'list src', 'search src/a.ts', 'fetch https://example.com', 'todo'],
    deny: ['write docs/guide.md', 'edit docs/guide.md'],
  },
]

const PROJECTS: readonly RestrictedFile[] = [
  {
    title: 'rules of the project for every agent',
    files: {
      [AGENT]: agent('mode: primary'),
      'opencode.json': JSON.stringify({
        permission: { edit: 'deny', bash: { '*': ALL, 'rm *': 'deny' } },
        tools: { webfetch: false },
      }),
    },
    agent: 'a',
    rule: `${LAST} The rules of the project come first.`,
    allow: ['read src/a.ts', 'shell: ls'],
    deny: ['write src/a.ts', 'shell: rm x', 'shell: FOO=1 rm x', 'fetch https://example.com'],
  },
  {
    title: 'an agent of the project file that adds to its rules',
    files: {
      'opencode.json': JSON.stringify({
        permission: { '*': 'ask', bash: 'deny' },
        agent: {
          a: { prompt: 'You help.', permission: { read: ALL, edit: { '*': 'deny', 'docs/*': 'ask' } } },
        },
      }),
    },
    agent: 'a',
    rule: `${LAST} The rules of the project come first.`,
    allow: ['read src/a.ts'],
    ask: ['write docs/guide.md', 'list src', 'fetch https://example.com'],
    deny: ['write src/a.ts', 'shell: ls', 'argv: ls'],
  },
  {
    title: 'rules of the user for every project',
    files: {
      [AGENT]: withRules({ bash: 'ask' }),
      '.config/opencode/opencode.json': JSON.stringify({
        permission: { webfetch: 'deny', bash: 'deny', read: { '*': ALL, 'secrets/*': 'deny' } },
      }),
    },
    agent: 'a',
    rule: `${LAST} The rules of the user come before those of the project and the agent.`,
    allow: ['read src/a.ts'],
    ask: ['shell: ls'],
    deny: ['fetch https://example.com', 'read secrets/key'],
  },
  {
    title: 'a command without the shell',
    files: {
      '.opencode/commands/fix.md': markdown('description: d'),
      'opencode.json': JSON.stringify({
        permission: { bash: 'deny', 'tracker_*': 'deny' },
        mcp: server('tracker'),
      }),
    },
    agent: 'command:fix',
    rule: `${LAST} The rules of the project apply to commands as well.`,
    allow: ['read src/a.ts', 'write src/a.ts'],
    deny: ['shell: ls', 'mcp tracker list'],
  },
]

/** Agents and commands of opencode, with the rules of their projects. */
export const OPENCODE: RestrictedFormat = { format: 'opencode', files: [...AGENTS, ...PROJECTS] }
