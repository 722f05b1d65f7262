import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { parseCard, type ParsedCard } from './cards.ts'
import { goDuration } from '../src/docker/go-duration.ts'
import { findReturningHandoffs } from '../src/docker/docker-agent.ts'
import { readToolPattern } from '../src/docker/put-permissions.ts'

const FILES: ReadonlyMap<string, string> = new Map([
  ['/p/who.txt', '\uFEFFYou answer.\r\n'],
  ['/p/includes.txt', 'See {file:who.txt}.\n'],
])

function root(agent: object, file: object = {}): ParsedCard {
  const fields = { ...file, agents: { root: { model: 'openai/gpt-5', description: 'd', ...agent } } }
  return parseCard(JSON.stringify(fields), {
    path: '/p/a.json',
    readText: (path) => {
      const text = FILES.get(path)
      if (text === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' })
      return text
    },
  })
}

describe('a read-only toolset of docker-agent', () => {
  it(`a read-only toolset grants no tool that writes, and no tool of a server, with a warning ${verifies('R16')}`, () => {
    const toolsets = [
      { type: 'filesystem', readonly: true },
      { type: 'shell', readonly: true },
      { type: 'mcp', name: 'x', command: 'x-server', readonly: true },
    ]
    const { definition, problems } = root({ instruction: 'i', toolsets })
    expect(definition?.tools.allow).toEqual(['filesystem.read', 'filesystem.list', 'filesystem.search'])
    expect(definition?.mcpServers).toEqual({})
    expect(problems).toMatchObject([{ severity: 'warning', code: 'key_without_effect' }])
  })

  it('a read-only agent of docker-agent gets no tool of a server', () => {
    const toolsets = [{ type: 'filesystem' }, { type: 'mcp', name: 'x', command: 'x-server' }]
    const { definition } = root({ instruction: 'i', readonly: true, toolsets })
    expect(definition?.tools.allow).toEqual(['filesystem.read', 'filesystem.list', 'filesystem.search'])
    expect(definition?.mcpServers).toEqual({})
  })

  it('a read-only toolset does not change the other toolsets', () => {
    const toolsets = [{ type: 'filesystem', readonly: true }, { type: 'shell' }]
    expect(root({ instruction: 'i', toolsets }).definition?.tools).toEqual({
      allow: ['filesystem.read', 'filesystem.list', 'filesystem.search', 'shell.execute'],
    })
  })
})

it(`a folder that a toolset of docker-agent must not use stays denied if it is outside of the working folder ${verifies('R16')}`, () => {
  const { definition } = root({
    instruction: 'i',
    toolsets: [{ type: 'filesystem', deny_list: ['/etc/', 'secrets'] }],
  })
  expect(definition?.permissions.deny).toEqual(
    ['/etc', '/etc/**', 'secrets', 'secrets/**'].map((pattern) => ({
      tool: 'filesystem.*',
      argument: 'path',
      pattern,
    })),
  )
})

describe('toolsets of docker-agent for the web, to-do lists and notes', () => {
  const domain = { tool: 'web.fetch', argument: 'domain' }
  const withToolset = (toolset: object): ParsedCard['definition'] =>
    root({ instruction: 'i', toolsets: [toolset] }).definition

  it.each<[object, readonly string[], readonly string[]]>([
    [{ type: 'fetch' }, ['web.fetch'], ['fetch']],
    [{ type: 'todo' }, ['todo.read', 'todo.write'], ['todo']],
    [{ type: 'memory' }, ['memory.list', 'memory.read', 'memory.write', 'memory.delete'], ['memory']],
    [{ type: 'memory', readonly: true }, ['memory.list', 'memory.read'], ['memory']],
    [{ type: 'memory', tools: ['get_memories'] }, ['memory.read'], ['memory']],
    [{ type: 'todo', tools: ['list_todos', 'shell'] }, ['todo.read'], ['todo']],
  ])('the toolset %j becomes built-in tools', (toolset, tools, groups) => {
    expect(withToolset(toolset)).toMatchObject({ tools: { allow: tools }, runtimeTools: groups })
  })

  it('the domains of a toolset fetch are the only ones, or are denied', () => {
    const allowed = { type: 'fetch', allowed_domains: ['Docs.example.com', '.example.org'] }
    expect(withToolset(allowed)?.permissions).toMatchObject({
      ask: ['web.fetch'],
      deny: [{ ...domain, pattern: '*', except: ['docs.example.com', '*.example.org'] }],
    })
    expect(withToolset({ type: 'fetch', blocked_domains: ['example.com'] })?.permissions.deny).toEqual([
      { ...domain, pattern: 'example.com' },
      { ...domain, pattern: '*.example.com' },
    ])
  })
})

describe('docker-agent patterns', () => {
  it.each<[string, readonly string[], readonly object[]]>([
    ['*', ['*'], []],
    ['shell', ['shell.execute'], []],
    ['shell:cmd=ls*', ['shell.execute'], [{ argument: 'cmd', pattern: 'ls*' }]],
    ['shell:cmd=curl http://*', ['shell.execute'], [{ argument: 'cmd', pattern: 'curl http://*' }]],
    [
      'shell:cmd=ls*:cwd=/tmp*',
      ['shell.execute'],
      [
        { argument: 'cmd', pattern: 'ls*' },
        { argument: 'cwd', pattern: '/tmp*' },
      ],
    ],
    ['write_*', ['filesystem.write', '*__write_*'], []],
    ['*_file', ['filesystem.read', 'filesystem.write', '*__*_file'], []],
    ['delete_everything', ['*__delete_everything'], []],
    ['fetch', ['web.fetch', '*__fetch'], []],
    ['fetch:urls=https://x*', ['web.fetch', '*__fetch'], [{ argument: 'urls', pattern: 'https://x*' }]],
    ['*_memory', ['memory.write', 'memory.delete', '*__*_memory'], []],
    ['mcp:github:get_*', ['github__get_*'], []],
    ['mcp:github:get_x:owner=a', ['github__get_x'], [{ argument: 'owner', pattern: 'a' }]],
  ])('docker-agent patterns map to tools: %s', (pattern, names, conditions) => {
    expect(readToolPattern(pattern)).toEqual({ names, conditions })
  })

  it(`docker-agent patterns for some arguments become rules for these arguments ${verifies('R16')}`, () => {
    const permissions = { allow: ['shell:cmd=ls*'], deny: ['shell:cmd=sudo*', 'write_*'] }
    const card = root({ instruction: 'i', toolsets: [{ type: 'shell' }] }, { permissions })
    const rule = { tool: 'shell.execute', argument: 'command' }
    expect(card.definition?.permissions).toMatchObject({
      allow: [{ ...rule, pattern: 'ls*' }],
      ask: [],
      deny: [{ ...rule, pattern: 'sudo*' }, 'filesystem.write', '*__write_*'],
    })
    expect(card.report).toContainEqual({
      key: '(file): permissions.deny.0',
      status: 'translated',
      to: 'permissions.deny: shell.execute (command: sudo*)',
    })
  })

  it.each(['shell:cmd=[rs]m *', String.raw`shell:cmd=\rm *`, 'shell:cmd=rm *:cwd=/tmp/*'])(
    `docker-agent patterns that cannot be compared deny the whole tool, with a warning that names the line: %s ${verifies('R16')}`,
    (pattern) => {
      const card = root(
        { instruction: 'i', toolsets: [{ type: 'shell' }] },
        { permissions: { deny: [pattern] } },
      )
      expect(card.definition?.permissions.deny).toEqual(['shell.execute'])
      expect(card.problems).toContainEqual(
        expect.objectContaining({
          severity: 'warning',
          code: 'permission_rule_widened',
          line: expect.any(Number),
        }),
      )
    },
  )

  it('docker-agent patterns of an agent and of its file both apply', () => {
    const own = { instruction: 'i', toolsets: [{ type: 'shell' }], permissions: { deny: ['write_file'] } }
    expect(root(own, { permissions: { deny: ['shell'] } }).definition?.permissions.deny).toEqual([
      'shell.execute',
      'filesystem.write',
    ])
  })

  it('docker-agent patterns that are not lists are an error', () => {
    const card = root({ instruction: 'i' }, { permissions: { deny: { shell: true } } })
    expect(card.problems).toContainEqual(
      expect.objectContaining({ severity: 'error', code: 'card_bad_value' }),
    )
  })
})

describe('docker-agent models', () => {
  const model = (models: object, name = 'm', more: object = {}): ParsedCard['definition'] =>
    root({ instruction: 'i', model: name, ...more }, { models }).definition

  it.each([
    [2048, 2048],
    ['high', 'high'],
    ['adaptive/low', 'low'],
    [0, 'none'],
    [-1, undefined],
    ['adaptive', undefined],
  ])('docker-agent models keep their reasoning effort: %j', (budget, reasoning) => {
    const settings = model({ m: { provider: 'a', model: 'b', thinking_budget: budget } })?.settings
    expect(settings?.reasoning).toBe(reasoning)
  })

  it('docker-agent models may be composed of others', () => {
    const models = {
      a: { provider: 'openai', model: 'gpt-5' },
      b: { model: 'a,openai/gpt-5-mini' },
      c: { first_available: ['b', 'd'] },
      d: { model: 'd' },
    }
    expect(model(models, 'c')?.model).toEqual(['openai/gpt-5', 'openai/gpt-5-mini', 'd'])
    expect(model(models, 'a,b', { fallback: { models: ['x/y'] } })?.model.at(-1)).toBe('x/y')
  })
})

describe('docker-agent limits', () => {
  it('docker-agent limits of 0 set no Troupe limit', () => {
    const { definition, report } = root(
      { instruction: 'i', max_iterations: 0 },
      { budget: { max_cost: 0, max_tokens: 0, max_time: '1h30m' } },
    )
    expect(definition?.ownLimits).toEqual(['timeout'])
    expect(definition?.limits.timeout).toBe(5_400_000)
    expect(report.find(({ key }) => key === 'max_iterations')?.status).toBe('ignored')
  })

  it.each([
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['250ms', 250],
    ['10', undefined],
    ['', undefined],
    ['1h 2m', undefined],
  ])('docker-agent durations use the Go syntax: %s', (text, milliseconds) => {
    expect(goDuration(text)).toBe(milliseconds)
  })
})

describe('docker-agent prompt files', () => {
  it('docker-agent prompt files are joined, and their own includes stay unchanged', () => {
    const card = root({
      instruction_file: ['who.txt', 'includes.txt'],
      add_prompt_files: ['gone.md', 'who.txt'],
    })
    expect(card.definition?.instruction).toBe('You answer.\n\nSee {file:who.txt}.\n\nYou answer.')
    expect(card.report.find(({ key }) => key.endsWith('gone.md'))?.status).toBe('ignored')
  })

  it.each(['gone.txt', '../outside.txt', '/etc/hostname'])(
    `docker-agent prompt files outside the folder are an error: %s ${verifies('R18')}`,
    (path) => {
      expect(root({ instruction_file: path }).problems.map(({ code }) => code)).toContain('card_include')
    },
  )

  it('docker-agent prompt files from elsewhere are not added', () => {
    const card = root({ instruction: 'i', add_prompt_files: ['/etc/hostname', '../x'] })
    expect(card.definition?.instruction).toBe('i')
    expect(card.problems).toEqual([])
  })
})

describe('docker-agent handoffs', () => {
  it('handoffs that lead back to the caller are left out, because the answer returns automatically', () => {
    const agents = { a: { handoffs: ['b', 'c'] }, b: { handoffs: ['a', 'c'] }, c: { handoffs: 'b, a, c' } }
    expect(findReturningHandoffs(agents, 'a')).toEqual(
      new Map([
        ['b', new Map([[0, 'a']])],
        [
          'c',
          new Map([
            [0, 'b'],
            [1, 'a'],
            [2, 'c'],
          ]),
        ],
      ]),
    )
  })

  it('handoffs to other agents stay', () => {
    const agents = { a: { handoffs: ['b', 'c'] }, b: { handoffs: ['c'] }, c: { sub_agents: ['a'] } }
    expect(findReturningHandoffs(agents, undefined)).toEqual(new Map())
  })

  it('handoffs may be as many as a file has agents', () => {
    const agents = Object.fromEntries(
      Array.from({ length: 6000 }, (_, index) => [`a${index}`, { handoffs: [`a${(index + 1) % 6000}`] }]),
    )
    expect(findReturningHandoffs(agents, 'a0')).toEqual(new Map([['a5999', new Map([[0, 'a0']])]]))
  })
})

describe('docker-agent agents', () => {
  it('docker-agent agents are named by their key', () => {
    expect(root({ instruction: 'i', name: 'steve' }).definition?.name).toBe('root')
  })

  it('docker-agent agents are not loaded from a URL', () => {
    const { problems, definition } = root({ instruction: 'i', sub_agents: ['https://a.example/x.yaml'] })
    expect(problems.map(({ code }) => code)).toEqual(['agent_unknown'])
    expect(definition?.agents).toEqual([])
  })
})

describe('definitions of a docker-agent file', () => {
  it('a toolset gets the server that `mcps` defines under its `ref`: a command or an address', () => {
    const mcps = {
      notes: { command: 'notes-server', args: ['--x'] },
      gh: { remote: { url: 'https://gh.example/mcp', transport_type: 'streamable' } },
      unused: { command: 'unused' },
    }
    const toolsets = [
      { type: 'mcp', ref: 'notes', tools: ['find'] },
      { type: 'mcp', ref: 'gh' },
    ]
    const { definition, problems } = root({ instruction: 'i', toolsets }, { mcps })
    expect(problems).toEqual([])
    expect(definition?.mcpServers).toMatchObject({
      notes: { command: 'notes-server', args: ['--x'] },
      gh: { url: 'https://gh.example/mcp' },
    })
    expect(definition?.mcpServers).not.toHaveProperty('unused')
    expect(definition?.tools.allow).toEqual(['notes__find', 'gh__*'])
  })

  it('a provider of the file is defined for the models that use it', () => {
    const file = {
      providers: {
        gw: { api_type: 'openai_responses', base_url: 'https://${env.HOST}/v1', token_key: 'GW_TOKEN' },
        other: { base_url: 'https://other.example/v1' },
      },
      models: { big: { provider: 'gw', model: 'big-1', temperature: 0.5 } },
    }
    const card = root({ instruction: 'i', model: 'big', fallback: { models: ['other/small'] } }, file)
    expect(card.problems).toEqual([])
    expect(card.definition?.model).toEqual(['gw/big-1', 'other/small'])
    expect(card.definition?.settings).toEqual({ temperature: 0.5 })
    expect(card.providers).toEqual({
      gw: { baseURL: 'https://${HOST}/v1', api: 'responses', apiKey: '${GW_TOKEN}' },
      other: { baseURL: 'https://other.example/v1' },
    })
  })

  it('a model with its own address has a provider of its own, and never changes a built-in one', () => {
    const models = { m: { provider: 'openai', model: 'x', base_url: 'http://127.0.0.1:8080/v1' } }
    const { definition, providers, problems } = root({ instruction: 'i', model: 'm' }, { models })
    expect(problems).toEqual([])
    expect(definition?.model).toEqual(['openai-127-0-0-1-8080-v1/x'])
    expect(Object.keys(providers ?? {})).toEqual(['openai-127-0-0-1-8080-v1'])
  })

  it(`a model whose API exists only at its own address gets a warning ${verifies('R4')}`, () => {
    const models = { m: { provider: 'google', model: 'x', base_url: 'https://g.example' } }
    const { definition, problems } = root({ instruction: 'i', model: 'm' }, { models })
    expect(definition?.model).toEqual(['google/x'])
    expect(problems).toMatchObject([{ severity: 'warning', code: 'key_without_effect' }])
  })

  it('commands are tools that send their prompt to the agent', () => {
    const commands = {
      df: 'Show the space on ${args[0]}, then $2.',
      ask: 'Answer ${args.join(" ")} as {json}.',
      hi: { description: 'Greets.', instruction: 'Hi.' },
    }
    const file = { commands: { more: { bye: 'Say bye.' } } }
    const { definition, problems } = root({ instruction: 'i', commands, use_commands: ['more'] }, file)
    expect(problems).toEqual([])
    expect(definition?.exports.tools).toMatchObject([
      { name: 'bye', prompt: 'Say bye.' },
      {
        name: 'df',
        prompt: 'Show the space on {argument1}, then {argument2}.',
        parameters: { required: ['argument1', 'argument2'] },
      },
      { name: 'ask', prompt: 'Answer {arguments} as {{json}}.', parameters: { required: ['arguments'] } },
      { name: 'hi', description: 'Greets.', prompt: 'Hi.' },
    ])
  })

  it.each([
    [{ rag: ['docs'] }, 'agents.root.rag'],
    [{ toolsets: [{ type: 'rag', ref: 'docs' }] }, 'agents.root.toolsets.0'],
  ])('an agent that searches documents is refused: %j', (keys, _at) => {
    const { definition, problems } = root({ instruction: 'i', ...keys }, { rag: { docs: {} } })
    expect(definition).toBeUndefined()
    expect(problems).toMatchObject([
      { severity: 'error', code: 'card_unsupported', fix: expect.stringContaining('MCP server') as string },
    ])
  })

  it('an agent without a prompt is read', () => {
    expect(root({ description: '' }).definition?.instruction).toBe('You are root.')
    expect(root({}).definition?.instruction).toBe('d')
  })

  it('a call that is allowed needs no approval, although all others do, as in docker-agent', () => {
    const permissions = { allow: ['shell:cmd=ls*'], ask: ['shell'], deny: ['shell:cmd=rm*'] }
    const { definition } = root({ instruction: 'i', toolsets: [{ type: 'shell' }] }, { permissions })
    expect(definition?.permissions).toMatchObject({
      ask: [{ tool: 'shell.execute', argument: 'command', pattern: '*', except: ['ls*'] }],
      allow: [{ pattern: 'ls*' }],
      deny: [{ pattern: 'rm*' }],
    })
  })

  it('a file of docker-agent in `.github/agents` is not read as a Copilot agent', () => {
    const text = 'agents:\n  root: { model: openai/gpt-5, instruction: i, description: d }\n'
    expect(parseCard(text, { path: '/p/.github/agents/review.yaml' }).dialect).toBe('docker-agent')
  })
})
