import { markdown, serverKeys, serverCommand, type RestrictedFormat } from './restricted-file.ts'

const ONLY_LISTED = 'An agent has only the tools of its list.'
const SERVER = `{${serverKeys()}}`

const copilot = (keys: string): string => markdown(`description: d\n${keys}`)

/** Custom agents and chat modes of GitHub Copilot. */
export const COPILOT: RestrictedFormat = {
  format: 'GitHub Copilot',
  files: [
    {
      title: 'an agent that reads and searches',
      files: { '.github/agents/a.agent.md': copilot("tools: ['read', 'search']") },
      agent: 'a',
      rule: ONLY_LISTED,
      allow: ['read src/a.ts', 'search src/a.ts', 'list src'],
      deny: ['write src/a.ts', 'shell: ls', 'fetch https://example.com', 'todo'],
    },
    {
      title: 'an agent that only searches',
      files: { '.github/agents/a.agent.md': copilot("tools: ['search']") },
      agent: 'a',
      rule: `${ONLY_LISTED} search finds files, and text in files; read returns the content of a file.`,
      allow: ['search src/a.ts', 'list src'],
      deny: ['read src/a.ts', 'write src/a.ts', 'shell: ls', 'fetch https://example.com'],
    },
    {
      title: 'tools of the tool set for searches',
      files: {
        '.github/agents/a.agent.md': copilot(
          "tools: ['search/textSearch', 'search/usages', 'search/changes']",
        ),
      },
      agent: 'a',
      rule: `${ONLY_LISTED} textSearch finds text in files, fileSearch and listDirectory find files.`,
      allow: ['search src/a.ts'],
      deny: ['list src', 'read src/a.ts', 'write src/a.ts', 'shell: ls'],
    },
    {
      title: 'whole tool sets',
      files: { '.github/agents/a.agent.md': copilot("tools: ['search/*', 'todo/*']") },
      agent: 'a',
      rule: ONLY_LISTED,
      allow: ['search src/a.ts', 'list src', 'todo'],
      deny: ['read src/a.ts', 'write src/a.ts', 'shell: ls', 'fetch https://example.com'],
    },
    {
      title: 'tools of sets that do less than the set',
      files: {
        '.github/agents/a.agent.md': copilot(
          "tools: ['edit/createJupyterNotebook', 'edit/rename', 'read/viewImage', 'execute/other']",
        ),
      },
      agent: 'a',
      rule: `${ONLY_LISTED} createJupyterNotebook creates notebooks, rename renames symbols, viewImage shows images.`,
      allow: ['write new.ipynb'],
      deny: ['write notes.ipynb', 'write src/a.ts', 'edit src/a.ts', 'read src/a.ts', 'shell: ls'],
    },
    {
      title: 'an agent without tools',
      files: { '.github/agents/a.agent.md': copilot('tools: []') },
      agent: 'a',
      rule: ONLY_LISTED,
      deny: ['read src/a.ts', 'write src/a.ts', 'shell: ls', 'fetch https://example.com'],
    },
    {
      title: 'one tool of a server',
      files: {
        '.github/agents/a.agent.md': copilot("tools: ['read', 'tracker/list']"),
        '.vscode/mcp.json': `{"servers": {"tracker": ${SERVER}}}`,
      },
      agent: 'a',
      rule: ONLY_LISTED,
      allow: ['read src/a.ts', 'mcp tracker list'],
      deny: ['mcp tracker close', 'mcp tracker wipe', 'shell: ls', 'write src/a.ts'],
    },
    {
      title: 'a server of the agent with few tools',
      files: {
        '.github/agents/a.agent.md': copilot(
          `tools: ['tracker/*']\nmcp-servers: {"tracker": {"type": "local", ${serverKeys()}, "tools": ["list", "cl*"]}}`,
        ),
      },
      agent: 'a',
      rule: `${ONLY_LISTED} A server offers the tools that it lists by name.`,
      allow: ['mcp tracker list'],
      deny: ['mcp tracker close', 'mcp tracker close_all', 'mcp tracker wipe', 'read src/a.ts', 'shell: ls'],
    },
    {
      title: 'a chat mode that runs the tests of the editor',
      files: {
        'a.chatmode.md': copilot("tools: ['codebase', 'runTests', 'editNotebook', 'createDirectory']"),
      },
      agent: 'a',
      rule: `${ONLY_LISTED} runTests runs no other commands, editNotebook edits notebooks only.`,
      allow: ['search src/a.ts'],
      deny: [
        'read src/a.ts',
        'shell: rm -rf x',
        'write src/a.ts',
        'edit src/a.ts',
        'write src/new.ts',
        'fetch https://example.com',
      ],
    },
    {
      title: 'a chat mode that creates files',
      files: { 'a.chatmode.md': copilot("tools: ['edit/createFile', 'problems']") },
      agent: 'a',
      rule: `${ONLY_LISTED} createFile does not change a file that exists.`,
      allow: ['write src/new.ts'],
      deny: ['write src/a.ts', 'edit src/a.ts', 'read src/a.ts', 'shell: ls'],
    },
  ],
}

const gemini = (keys: string): string => markdown(`name: a\ndescription: d\n${keys}`)

/** Agents of Gemini CLI. */
export const GEMINI: RestrictedFormat = {
  format: 'Gemini CLI',
  files: [
    {
      title: 'a list of tools',
      files: { '.gemini/agents/a.md': gemini('tools: [read_file, grep_search]') },
      agent: 'a',
      rule: ONLY_LISTED,
      allow: ['read src/a.ts', 'search src/a.ts'],
      deny: ['write src/a.ts', 'shell: ls', 'fetch https://example.com', 'list src'],
    },
    {
      title: 'servers with included and excluded tools',
      files: {
        '.gemini/agents/a.md': gemini(
          `tools: [read_file, "mcp_*"]\nmcpServers: {"tracker": {${serverKeys()}, "includeTools": ["list", "close", "close*"], "excludeTools": ["close"]}}`,
        ),
      },
      agent: 'a',
      rule: `${ONLY_LISTED} Excluded tools win over included ones. MCP tools ask.`,
      allow: ['read src/a.ts'],
      ask: ['mcp tracker list'],
      deny: ['mcp tracker close', 'mcp tracker close_all', 'mcp tracker wipe', 'shell: ls', 'write src/a.ts'],
    },
    {
      title: 'one server of two whose names begin alike',
      files: {
        '.gemini/agents/a.md': gemini(
          `tools: ["mcp_git_hub_*"]\nmcpServers: {"git": ${SERVER}, "git_hub": ${SERVER}}`,
        ),
      },
      agent: 'a',
      rule: `${ONLY_LISTED} MCP tools ask.`,
      ask: ['mcp git_hub list', 'mcp git_hub close'],
      deny: ['mcp git list', 'mcp git close', 'mcp git wipe', 'read src/a.ts'],
    },
    {
      title: 'tools excluded by the project',
      files: {
        '.gemini/agents/a.md': gemini('tools: ["*"]'),
        '.gemini/settings.json':
          '{"tools": {"exclude": ["write_file", "replace", "run_shell_command(rm)", "web_fetch"]}}',
      },
      agent: 'a',
      rule: 'Excluded tools are not there for any agent; a command in parentheses is compared as a prefix.',
      allow: ['read src/a.ts', 'list src'],
      ask: ['shell: ls'],
      deny: [
        'write src/a.ts',
        'edit src/a.ts',
        'shell: rm x',
        'shell: ls && rm x',
        'fetch https://example.com',
      ],
    },
    {
      title: 'the only tools of the project',
      files: {
        '.gemini/agents/a.md': gemini('model: inherit'),
        '.gemini/settings.json': '{"coreTools": ["read_file", "list_directory", "run_shell_command(git)"]}',
      },
      agent: 'a',
      rule: 'An agent has only the core tools of the project; a command in parentheses is compared as a prefix.',
      allow: ['read src/a.ts', 'list src'],
      ask: ['shell: git status'],
      deny: [
        'write src/a.ts',
        'search src/a.ts',
        'fetch https://example.com',
        'shell: rm x',
        'shell: git status && rm x',
      ],
    },
  ],
}

const { command, args } = serverCommand()
const codex = (keys: string): string =>
  `name = "a"\ndescription = "d"\ndeveloper_instructions = "You help."\n${keys}`

/** Agents of Codex. */
export const CODEX: RestrictedFormat = {
  format: 'Codex',
  files: [
    {
      title: 'an agent that only reads',
      files: { '.codex/agents/a.toml': codex('sandbox_mode = "read-only"') },
      agent: 'a',
      rule: 'In the sandbox read-only, commands may read. Writing and the network are denied.',
      allow: ['read src/a.ts', 'list src', 'shell: ls'],
      deny: ['write src/a.ts', 'edit src/a.ts', 'shell: rm -rf x', 'fetch https://example.com'],
    },
    {
      title: 'a project that only reads',
      files: {
        '.codex/agents/deep/a.toml': codex(''),
        '.codex/config.toml': 'sandbox_mode = "read-only"\napproval_policy = "never"\n',
      },
      agent: 'a',
      rule: 'An agent has the sandbox of the project unless it sets its own.',
      allow: ['read src/a.ts'],
      deny: ['write src/a.ts', 'shell: rm -rf x', 'fetch https://example.com'],
    },
    {
      title: 'an agent that writes in its folder',
      files: {
        '.codex/agents/a.toml': codex('sandbox_mode = "workspace-write"\napproval_policy = "on-request"'),
      },
      agent: 'a',
      rule: 'Commands that need more than the sandbox grants ask.',
      allow: ['read src/a.ts', 'write src/a.ts', 'shell: npm test'],
      ask: ['shell: curl https://example.com', 'shell: rm -rf /x'],
      deny: ['fetch https://example.com'],
    },
    {
      title: 'an agent that never asks',
      files: {
        '.codex/agents/a.toml': codex(
          `sandbox_mode = "workspace-write"\napproval_policy = "never"\n[mcp_servers.tracker]\ncommand = ${command}\nargs = ${args}\ndefault_tools_approval_mode = "prompt"\n[mcp_servers.tracker.tools.list]\napproval_mode = "approve"\n`,
        ),
      },
      agent: 'a',
      rule: 'Commands run in the sandbox, and everything that would ask is denied.',
      allow: ['read src/a.ts', 'write src/a.ts', 'shell: npm test', 'mcp tracker list'],
      deny: [
        'shell: curl https://example.com',
        'shell: rm -rf /x',
        'fetch https://example.com',
        'mcp tracker close',
        'mcp tracker wipe',
      ],
    },
    {
      title: 'a project that never asks about commands',
      files: {
        '.codex/agents/a.toml': codex('sandbox_mode = "workspace-write"'),
        '.codex/config.toml': `approval_policy = { granular = { sandbox_approval = false, rules = true, mcp_elicitations = true } }\n[mcp_servers.tracker]\ncommand = ${command}\nargs = ${args}\ndefault_tools_approval_mode = "prompt"\n`,
      },
      agent: 'a',
      rule: 'Categories that are off are denied instead of asked about.',
      allow: ['read src/a.ts', 'write src/a.ts', 'shell: npm test'],
      ask: ['mcp tracker close'],
      deny: ['shell: curl https://example.com', 'fetch https://example.com'],
    },
    {
      title: 'an agent without a sandbox that never asks',
      files: {
        '.codex/agents/a.toml': codex('sandbox_mode = "danger-full-access"\napproval_policy = "never"'),
      },
      agent: 'a',
      rule: 'Without a sandbox, every command runs.',
      allow: ['write src/a.ts', 'shell: curl https://example.com'],
      deny: ['fetch https://example.com'],
    },
    {
      title: 'servers with enabled and disabled tools',
      files: {
        '.codex/agents/a.toml': codex(
          `[mcp_servers.tracker]\ncommand = ${command}\nargs = ${args}\nenabled_tools = ["list", "close", "cl*"]\ndisabled_tools = ["close"]\n`,
        ),
        '.codex/config.toml': `[mcp_servers.off]\ncommand = ${command}\nargs = ${args}\nenabled = false\n[mcp_servers.none]\ncommand = ${command}\nargs = ${args}\nenabled_tools = []\n`,
      },
      agent: 'a',
      rule: 'A server offers its enabled tools by name, without the disabled ones.',
      allow: ['mcp tracker list'],
      deny: [
        'mcp tracker close',
        'mcp tracker close_all',
        'mcp tracker wipe',
        'mcp off list',
        'mcp none list',
      ],
    },
  ],
}
