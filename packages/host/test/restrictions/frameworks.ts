import { serverKeys, type RestrictedFormat } from './restricted-file.ts'

const SERVER = `{${serverKeys()}}`

const goose = (keys: string): string =>
  `version: 1.0.0\ntitle: a\ndescription: d\ninstructions: You help.\n${keys}\n`

/** Recipes of goose. In its default mode it never asks. */
export const GOOSE: RestrictedFormat = {
  format: 'goose',
  files: [
    {
      title: 'some tools of the developer extension',
      files: {
        'a.yaml': goose('extensions: [{type: builtin, name: developer, available_tools: [read, tree]}]'),
      },
      agent: 'a',
      rule: 'An extension offers only its available_tools, and all if the list is empty.',
      allow: ['read src/a.ts', 'list src'],
      deny: ['write src/a.ts', 'shell: ls', 'search src/a.ts', 'fetch https://example.com'],
    },
    {
      title: 'no extensions',
      files: { 'a.yaml': goose('extensions: []') },
      agent: 'a',
      rule: 'A recipe has only its extensions.',
      deny: ['read src/a.ts', 'write src/a.ts', 'shell: ls', 'fetch https://example.com', 'todo'],
    },
    {
      title: 'some tools of a server, and a name that does not exist',
      files: {
        'a.yaml': goose(
          `extensions: [{type: stdio, name: tracker, ${serverKeys().replace('"command"', '"cmd"')}, available_tools: [list, "cl*"]}]`,
        ),
      },
      agent: 'a',
      rule: 'An extension offers only its available_tools, compared as whole names.',
      allow: ['mcp tracker list'],
      deny: ['mcp tracker close', 'mcp tracker wipe', 'mcp tracker close_all', 'read src/a.ts'],
    },
    {
      title: 'a sub-recipe with fewer tools than its parent',
      files: {
        'sub.yaml': goose(
          'extensions: [{type: builtin, name: developer, available_tools: [developer__read]}]',
        ),
        'a.yaml':
          'version: 1.0.0\ntitle: main\ndescription: d\ninstructions: You help.\nextensions: [{type: builtin, name: developer}]\nsub_recipes: [{name: sub, path: ./sub.yaml}]\n',
      },
      cards: ['a.yaml'],
      agent: 'sub',
      rule: 'A sub-recipe has only its own extensions.',
      allow: ['read src/a.ts'],
      deny: ['write src/a.ts', 'shell: ls', 'agent main'],
    },
  ],
}

const tsagent = (metadata: string, settings: string, servers: string): string =>
  `metadata: {name: a, description: d, created: "2026-01-01", lastAccessed: "2026-01-01"${metadata}}
settings: {model: "openai:gpt-5"${settings}}
systemPrompt: You help.
mcpServers: {"tracker": {"type": "stdio", ${serverKeys()}${servers}}}
`

/** Agents of tsagent. */
export const TSAGENT: RestrictedFormat = {
  format: 'tsagent',
  files: [
    {
      title: 'tools that need permission',
      files: { 'a.yaml': tsagent('', '', ', "tools": {"list": {"permissionRequired": false}}') },
      agent: 'a',
      rule: 'Tools of servers need permission unless permissionRequired is false.',
      allow: ['mcp tracker list'],
      ask: ['mcp tracker close', 'mcp tracker echo', 'mcp tracker wipe'],
      deny: ['shell: ls', 'read src/a.ts', 'write src/a.ts', 'fetch https://example.com'],
    },
    {
      title: 'an autonomous agent',
      files: {
        'a.yaml': tsagent(
          ', autonomous: true',
          '',
          ', "tools": {"list": {"permissionRequired": false}, "cl*": {"permissionRequired": false}}',
        ),
      },
      agent: 'a',
      rule: 'An autonomous agent is not offered tools that need permission. Tools are named in full.',
      allow: ['mcp tracker list'],
      deny: ['mcp tracker close', 'mcp tracker wipe', 'mcp tracker echo', 'shell: ls'],
    },
    {
      title: 'an autonomous agent that asks for every tool',
      files: {
        'a.yaml': tsagent(
          ', autonomous: true',
          ', toolPermission: always',
          ', "serverToolDefaults": {"permissionRequired": false}',
        ),
      },
      agent: 'a',
      rule: 'An autonomous agent is not offered tools that need permission, which all do under always.',
      deny: ['mcp tracker list', 'mcp tracker close', 'mcp tracker wipe'],
    },
    {
      title: 'tools that a message must name',
      files: {
        'a.yaml': tsagent(
          '',
          ', toolPermission: never',
          ', "serverToolDefaults": {"permissionRequired": false, "include": "manual"}, "tools": {"list": {"include": "always"}, "close": {"include": "agent"}}',
        ),
      },
      agent: 'a',
      rule: 'Tools with include: manual are not offered until a message names them.',
      allow: ['mcp tracker list', 'mcp tracker close'],
      deny: ['mcp tracker delete', 'mcp tracker wipe', 'mcp tracker echo'],
    },
    {
      title: 'the older form of the settings',
      files: {
        'a.yaml': tsagent(
          '',
          '',
          ', "toolPermissionRequired": {"serverDefault": "not_required", "tools": {"close": "required"}}, "toolInclude": {"serverDefault": "always", "tools": {"delete": "manual"}}',
        ),
      },
      agent: 'a',
      rule: 'The settings of a tool replace those of its server.',
      allow: ['mcp tracker list'],
      ask: ['mcp tracker close'],
      deny: ['mcp tracker delete'],
    },
  ],
}

const FAST = '.fast-agent/agent-cards/a.md'
const fast = (keys: string): string => `---\ntype: agent\nname: a\ndescription: d\n${keys}\n---\nYou help.\n`
const FAST_CONFIG = {
  'fastagent.config.yaml': `mcp: {"servers": {"tracker": ${SERVER}, "other": ${SERVER}}}\n`,
}

/** Cards of fast-agent, which never asks. */
export const FAST_AGENT: RestrictedFormat = {
  format: 'fast-agent',
  files: [
    {
      title: 'some tools of a server',
      files: { [FAST]: fast('servers: [tracker]\ntools: {tracker: ["list", "close"]}'), ...FAST_CONFIG },
      agent: 'a',
      rule: 'A server offers the tools whose names match the patterns of the card.',
      allow: ['mcp tracker list', 'mcp tracker close'],
      deny: [
        'mcp tracker close_all',
        'mcp tracker wipe',
        'mcp other list',
        'shell: ls',
        'read src/a.ts',
        'write src/a.ts',
      ],
    },
    {
      title: 'no tools of a server',
      files: {
        [FAST]: fast('servers: [tracker, other]\ntools: {tracker: [], other: ["l?st"]}'),
        ...FAST_CONFIG,
      },
      agent: 'a',
      rule: 'A server with an empty list offers no tools; `*` and `?` are wildcards.',
      allow: ['mcp other list'],
      deny: ['mcp tracker list', 'mcp tracker wipe', 'mcp other close'],
    },
    {
      title: 'patterns for tools of a server',
      files: {
        [FAST]: fast('servers: [tracker]\ntools: {tracker: ["close*"], other: ["*"]}'),
        ...FAST_CONFIG,
      },
      agent: 'a',
      rule: 'A server offers the tools whose names match the patterns of the card, if the card names the server.',
      allow: ['mcp tracker close', 'mcp tracker close_all'],
      deny: ['mcp tracker list', 'mcp tracker CLOSE', 'mcp other list'],
    },
    {
      title: 'no shell',
      files: { [FAST]: fast('shell: false\nskills: []'), ...FAST_CONFIG },
      agent: 'a',
      rule: 'An agent has no servers and no shell unless its card says so.',
      deny: ['shell: ls', 'mcp tracker list', 'read src/a.ts', 'write src/a.ts'],
    },
  ],
}

const aiAgent = (keys: string): string =>
  `---\ndescription: d\nmodels: openai/gpt-5\n${keys}\n---\nYou help.\n`
const aiConfig = (keys: string, more = ''): string =>
  `{"mcpServers": {"tracker": {"type": "stdio", ${serverKeys()}${keys}}${more}}}`

/** Agents of ai-agent, which never asks. */
export const AI_AGENT: RestrictedFormat = {
  format: 'ai-agent',
  files: [
    {
      title: 'allowed and denied tools of a server',
      files: {
        'a.ai': aiAgent('tools: [tracker]'),
        '.ai-agent.json': aiConfig(', "toolsAllowed": ["list", "close", "delete"], "toolsDenied": ["CLOSE"]'),
      },
      agent: 'a',
      rule: 'A server offers its allowed tools without the denied ones; denying wins, without case.',
      allow: ['mcp tracker list', 'mcp tracker delete'],
      deny: ['mcp tracker close', 'mcp tracker close_all', 'mcp tracker wipe', 'shell: ls', 'read src/a.ts'],
    },
    {
      title: 'denied tools of a server that allows all',
      files: {
        'a.ai': aiAgent('tools: [tracker]'),
        '.ai-agent.json': aiConfig(', "toolsAllowed": [], "toolsDenied": ["delete", "close_all"]'),
      },
      agent: 'a',
      rule: 'An empty list of allowed tools allows all; denying wins.',
      allow: ['mcp tracker list', 'mcp tracker close'],
      deny: ['mcp tracker delete', 'mcp tracker close_all'],
    },
    {
      title: 'a server that is switched off',
      files: {
        'a.ai': aiAgent('tools: [tracker, other]'),
        '.ai-agent.json': aiConfig(', "enabled": false', `, "other": ${SERVER}`),
      },
      agent: 'a',
      rule: 'A server with enabled: false is not started.',
      allow: ['mcp other list'],
      deny: ['mcp tracker list', 'mcp tracker wipe'],
    },
    {
      title: 'every tool denied',
      files: { 'a.ai': aiAgent('tools: [tracker]'), '.ai-agent.json': aiConfig(', "toolsDenied": ["*"]') },
      agent: 'a',
      rule: 'Denying wins.',
      deny: ['mcp tracker list', 'mcp tracker close', 'mcp tracker wipe', 'shell: ls'],
    },
  ],
}

/** Agents of CrewAI, whose tools are set in Python. */
export const CREWAI: RestrictedFormat = {
  format: 'CrewAI',
  files: [
    {
      title: 'an agent that may not delegate',
      files: {
        'config/agents.yaml':
          'a: {role: Clerk, goal: Help., backstory: Kind., allow_delegation: false, allow_code_execution: false}\nb: {role: Chief, goal: Lead., backstory: Old.}\n',
      },
      agent: 'a',
      rule: 'An agent has the tools that crew.py gives it, and calls no other agent.',
      deny: ['agent b', 'shell: ls', 'read src/a.ts', 'write src/a.ts', 'fetch https://example.com'],
    },
    {
      title: 'an agent with tools of Python',
      files: {
        'config/agents.yaml': 'a: {role: Clerk, goal: Help., backstory: Kind., tools: [FileReadTool]}\n',
      },
      agent: 'a',
      rule: 'FileReadTool reads files.',
      allow: ['read src/a.ts'],
      deny: ['write src/a.ts', 'shell: ls', 'fetch https://example.com'],
    },
  ],
}
