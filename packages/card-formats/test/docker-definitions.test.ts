import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { errorsOf, parseCard, parseCards, type ParsedCard } from './cards.ts'

const NOW = new Date('2026-11-20T10:00:00Z')

function root(agent: object, file: object = {}): ParsedCard {
  const fields = {
    ...file,
    agents: { root: { model: 'openai/gpt-5', description: 'd', instruction: 'i', ...agent } },
  }
  return parseCard(JSON.stringify(fields), {
    path: '/p/a.json',
    workspace: '/p',
    readText: readNothing,
    now: NOW,
  })
}

function readNothing(path: string): string {
  throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' })
}

function warningsOf({ problems }: ParsedCard): readonly string[] {
  return problems.filter(({ severity }) => severity === 'warning').map(({ message }) => message)
}

describe('servers of the Docker catalogue', () => {
  it.each([
    [{ type: 'mcp', ref: 'docker:duckduckgo' }, {}],
    [{ type: 'mcp', ref: 'web' }, { mcps: { web: { ref: 'docker:duckduckgo' } } }],
    [{ type: 'mcp', ref: 'docker:github', tools: ['search'] }, {}],
  ])(`a catalogue server is an error and starts nothing: %j ${verifies('R4')}`, (toolset, file) => {
    const card = root({ toolsets: [toolset] }, file)
    expect(card.definition).toBeUndefined()
    expect(card.problems).toMatchObject([
      { severity: 'error', code: 'card_unsupported', fix: expect.stringContaining('command') as string },
    ])
  })

  it('a server name that the file does not define is an error', () => {
    const card = root({ toolsets: [{ type: 'mcp', ref: 'nots' }] }, { mcps: { notes: { command: 'x' } } })
    expect(errorsOf(card)).toEqual([
      expect.stringContaining('`toolsets.0.ref`: the file defines no server "nots" in `mcps`.'),
    ])
  })

  it('keys of a server in `mcps` that have no effect are warnings, too', () => {
    const mcps = { notes: { command: 'notes-server', model: 'openai/gpt-5-mini', allow_private_ips: true } }
    expect(warningsOf(root({ toolsets: [{ type: 'mcp', ref: 'notes' }] }, { mcps }))).toEqual([
      '`mcps.notes.model` has no effect: an agent uses its own model after each call.',
    ])
  })

  it('a remote server keeps its headers and OAuth settings', () => {
    const remote = {
      url: 'https://gh.example/mcp',
      transport_type: 'sse',
      headers: { authorization: 'Bearer ${env.GH_TOKEN}' },
      oauth: {
        clientId: 'me',
        clientSecret: '${env.GH_SECRET}',
        callbackPort: 8085,
        scopes: ['read', 'write'],
      },
    }
    expect(root({ toolsets: [{ type: 'mcp', name: 'gh', remote }] }).definition?.mcpServers).toMatchObject({
      gh: {
        url: 'https://gh.example/mcp',
        headers: { authorization: 'Bearer ${GH_TOKEN}' },
        auth: { clientId: 'me', clientSecret: '${GH_SECRET}', redirectPort: 8085, scope: 'read write' },
      },
    })
  })
})

describe('groups of a docker-agent file', () => {
  it('an agent gets the toolsets, skills and commands of the groups that it names', () => {
    const file = {
      toolsets: { files: { type: 'filesystem', readonly: true } },
      skills: { ops: [{ name: 'restart', description: 'How to restart.', instructions: 'Turn it off.' }] },
      commands: { common: [{ bye: 'Say bye.' }] },
    }
    const keys = {
      toolsets: [{ type: 'todo' }],
      use_toolsets: ['files'],
      use_skills: ['ops'],
      use_commands: ['common'],
    }
    const card = root(keys, file)
    expect(card.problems).toEqual([])
    expect(card.definition).toMatchObject({
      tools: {
        allow: [
          'todo.read',
          'todo.write',
          'filesystem.read',
          'filesystem.list',
          'filesystem.search',
          'skill.read',
        ],
      },
      skills: [{ name: 'restart', description: 'How to restart.', text: 'Turn it off.' }],
      exports: { tools: [{ name: 'bye', prompt: 'Say bye.' }] },
    })
  })

  it.each(['use_toolsets', 'use_skills', 'use_commands'])(
    'a group that is not there is a warning: %s',
    (key) => {
      expect(warningsOf(root({ [key]: ['nothing'] }))).toEqual([
        `\`${key}\` has no effect: the file does not define nothing.`,
      ])
    },
  )

  it(`a named budget limits every agent that names it, with the lowest limit of each kind ${verifies('R4')}`, () => {
    const budgets = { tight: { max_cost: 1, max_tokens: 9000 }, daily: { max_cost: 5, max_time: '10m' } }
    const limits = { maxCost: 1, maxTokens: 9000, timeout: 600_000 }
    expect(root({ budgets: ['tight', 'daily'] }, { budgets }).definition?.limits).toMatchObject(limits)
    expect(root({ budgets: ['daily', 'tight'] }, { budgets }).definition?.limits).toMatchObject(limits)
    const withRunBudget = root({ budgets: ['daily'] }, { budgets, budget: { max_cost: 2 } })
    expect(withRunBudget.definition?.limits).toMatchObject({ maxCost: 2, timeout: 600_000 })
  })

  it('a budget that is not there is an error', () => {
    expect(errorsOf(root({ budgets: ['tight'] }, { budgets: {} }))).toEqual([
      expect.stringContaining('the file defines no budget "tight"'),
    ])
  })
})

describe('toolsets of a docker-agent file', () => {
  it(`the folders of a toolset become rules for the file tools ${verifies('R16')}`, () => {
    const rules = (toolset: object): unknown =>
      root({ toolsets: [{ type: 'filesystem', tools: ['read_file'], ...toolset }] }).definition?.permissions
        .deny
    const rule = { tool: 'filesystem.*', argument: 'path' }
    expect(rules({ deny_list: ['./secrets/', '/p/keys', '/etc', '~/.ssh'] })).toEqual(
      expect.arrayContaining([
        { ...rule, pattern: 'secrets' },
        { ...rule, pattern: 'secrets/**' },
        { ...rule, pattern: 'keys/**' },
        { ...rule, pattern: '.ssh/**' },
      ]),
    )
    expect(rules({ allow_list: ['docs', './src/api'] })).toContainEqual({
      ...rule,
      pattern: '*',
      except: ['docs', 'docs/**', 'src/api', 'src/api/**'],
    })
    expect(rules({ allow_list: ['.', '~/projects'] })).toEqual([])
  })

  it(`a toolset that is only allowed folders elsewhere gets no files, with a warning ${verifies('R16')}`, () => {
    const card = root({ toolsets: [{ type: 'filesystem', allow_list: ['/srv/data'] }] })
    expect(card.definition?.permissions.deny).toContain('filesystem.*')
    expect(card.problems).toMatchObject([{ code: 'permission_rule_widened' }])
  })

  it.each([
    ['169.254.169.254', ['169.254.169.254']],
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['FC00::/7', ['fc00::/7']],
    ['Example.com.', ['example.com', '*.example.com']],
  ])(
    `a blocked domain or range of addresses is denied as written: %s ${verifies('R16')}`,
    (domain, patterns) => {
      const rule = { tool: 'web.fetch', argument: 'domain' }
      const { definition } = root({ toolsets: [{ type: 'fetch', blocked_domains: [domain] }] })
      expect(definition?.permissions.deny).toEqual(patterns.map((pattern) => ({ ...rule, pattern })))
    },
  )

  it.each(['10.0.0/8', '10.0.0.0/33', 'example.com/a', 'foo.*', '*', '.', ''])(
    `a domain that docker-agent rejects is an error with its position: %j ${verifies('R16')}`,
    (domain) => {
      for (const list of ['allowed_domains', 'blocked_domains']) {
        const { definition, problems } = root({
          toolsets: [{ type: 'fetch', [list]: ['a.example', domain] }],
        })
        expect(definition).toBeUndefined()
        expect(problems).toMatchObject([
          {
            severity: 'error',
            code: 'card_bad_value',
            message: `\`toolsets.0.${list}\`: ${JSON.stringify(domain)} is not a domain or a range of addresses.`,
            fix: expect.stringContaining('10.0.0.0/8'),
          },
        ])
      }
    },
  )

  it('the instruction of a toolset, the date and the environment are part of the prompt', () => {
    const toolsets = [{ type: 'todo', instruction: '{ORIGINAL_INSTRUCTIONS}\nWrite short items.' }]
    const { definition } = root({ toolsets, add_date: true, add_environment_info: true })
    expect(definition?.instruction).toMatch(
      /^i\n\nWrite short items\.\n\nToday's date: 2026-11-20\n\nWorking directory: \/p\nOperating system: /u,
    )
  })

  it('the notes are in a folder that is named after the file of docker-agent', () => {
    const memory = (path: string): unknown =>
      root({ toolsets: [{ type: 'memory', path }] }).definition?.memory
    expect(memory('./notes/dev.db')).toBe('notes/dev')
    expect(memory('../elsewhere.db')).toBeUndefined()
  })

  it.each(['lsp', 'openapi', 'script', 'api', 'a2a', 'webhook', 'unheard_of'])(
    `a toolset without an equivalent is a warning: %s ${verifies('R4')}`,
    (type) => {
      expect(warningsOf(root({ toolsets: [{ type }] }))).toEqual([
        expect.stringContaining(`the agent does not get the toolset \`${type}\``),
      ])
    },
  )

  it('keys of a toolset that change what it does are warnings, and harmless values are not', () => {
    const toolsets = [
      { type: 'fetch', headers: { x: 'y' }, allow_private_ips: true, defer: true },
      { type: 'filesystem', post_edit: [], ignore_vcs: true, instructions: 'Be brief.' },
    ]
    expect(warningsOf(root({ toolsets }))).toEqual([
      expect.stringContaining('`toolsets.0.headers` has no effect'),
      expect.stringContaining('`toolsets.0.allow_private_ips` has no effect'),
      expect.stringContaining('did you mean `instruction`?'),
    ])
  })
})

describe('models of a docker-agent file', () => {
  it('a model has the settings of its provider unless it sets them itself', () => {
    const file = {
      providers: {
        team: {
          provider: 'anthropic',
          token_key: 'TEAM_KEY',
          headers: { 'x-team': '${env.TEAM}' },
          temperature: 0.2,
          max_tokens: 500,
        },
      },
      models: { big: { provider: 'team', model: 'claude-x', temperature: 0.7, thinking_budget: 'low' } },
    }
    const card = root({ model: 'big' }, file)
    expect(card.problems).toEqual([])
    expect(card.definition).toMatchObject({
      model: ['team/claude-x'],
      settings: { temperature: 0.7, maxOutputTokens: 500, reasoning: 'low' },
    })
    expect(card.providers).toMatchObject({
      team: { api: 'anthropic', apiKey: '${TEAM_KEY}', headers: { 'x-team': '${TEAM}' } },
    })
  })

  it('a model with a key of its own has a provider of its own, and warns if it cannot have one', () => {
    const models = {
      mine: { provider: 'openai', model: 'gpt-5', token_key: 'MY_KEY' },
      other: { provider: 'groq', model: 'llama', token_key: 'MY_KEY' },
    }
    const mine = root({ model: 'mine' }, { models })
    expect(mine.problems).toEqual([])
    expect(mine.providers).toMatchObject({ 'openai-my_key': { apiKey: '${MY_KEY}' } })
    const other = root({ model: 'other' }, { models })
    expect(other.definition?.model).toEqual(['groq/llama'])
    expect(warningsOf(other)).toEqual([expect.stringContaining('`token_key` of the model has no effect')])
  })

  it('the settings of compaction become those of the context, with the precedence of docker-agent', () => {
    const models = {
      big: { provider: 'openai', model: 'gpt-5', compaction_threshold: 0.6, compaction_model: 'openai/tiny' },
      small: { provider: 'openai', model: 'gpt-5-mini' },
    }
    const keys = { model: 'big', compaction_threshold: 0.9, compaction_model: 'small' }
    expect(root(keys, { models }).definition?.context).toMatchObject({
      threshold: 0.6,
      model: 'openai/gpt-5-mini',
    })
    expect(root({ session_compaction: false }).definition?.context).toMatchObject({ strategy: 'fail' })
  })

  it('keys of a model that Troupe does not send are warnings', () => {
    const models = {
      m: { provider: 'openai', model: 'x', routing: [], provider_opts: { seed: 1 }, track_usage: true },
    }
    expect(warningsOf(root({ model: 'm' }, { models }))).toEqual([
      expect.stringContaining('`models.m.routing` has no effect'),
      expect.stringContaining('`models.m.provider_opts` has no effect'),
    ])
  })
})

describe('other keys of a docker-agent file', () => {
  it('the agent named in `force_handoff` reads every answer', () => {
    const agents = {
      root: { model: 'openai/gpt-5', description: 'd', instruction: 'Extract.', force_handoff: 'editor' },
      editor: { model: 'openai/gpt-5', instruction: 'Summarise.' },
    }
    const [first] = parseCards(JSON.stringify({ agents }), { path: '/p/a.json' })
    expect(first?.problems).toEqual([])
    expect(first?.definition?.composition).toMatchObject({ fanIn: 'editor' })
  })

  it(`a workflow of a file is a warning, because its agents do not run in order ${verifies('R4')}`, () => {
    const workflow = [{ type: 'agent', name: 'root' }]
    expect(warningsOf(root({}, { workflow }))).toEqual([
      expect.stringContaining('`workflow` has no effect: write a card with `type: chain`'),
    ])
  })

  it(`the safety mode strict asks for every call, and modes that do not ask are a warning ${verifies('R16')}`, () => {
    expect(root({ safety: 'strict' }).definition?.toolPermission).toBe('always')
    expect(root({ safety: 'strict' }).problems).toEqual([])
    expect(root({ safety: 'balanced' }).problems).toEqual([])
    for (const safety of ['restricted', 'autonomous']) {
      const card = root({ safety, toolsets: [{ type: 'shell' }] })
      expect(warningsOf(card)).toEqual([expect.stringContaining('`safety` has no effect')])
      expect(card.definition?.permissions.ask).toEqual(['shell.execute'])
    }
  })

  it('an agent that another program runs is an error', () => {
    expect(errorsOf(root({ harness: { type: 'codex' } }))).toEqual([
      expect.stringContaining('the agent runs in another program'),
    ])
  })

  it('commands that switch the agent or run commands are warnings, and those that open pages are not tools', () => {
    const commands = {
      plan: { instruction: 'Plan.', agent: 'planner' },
      diff: 'Read !`git diff`.',
      site: { url: 'https://docs.example' },
    }
    const card = root({ commands })
    expect(card.definition?.exports.tools.map(({ name }) => name)).toEqual(['plan', 'diff'])
    expect(warningsOf(card)).toEqual([
      expect.stringContaining('`commands.plan.agent` has no effect'),
      expect.stringContaining('`commands.diff.instruction` has no effect: commands in !`…` are not run'),
    ])
  })
})
