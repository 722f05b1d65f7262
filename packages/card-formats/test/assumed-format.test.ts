import * as fc from 'fast-check'
import type { AgentDefinition, JsonObject } from '@troupe/schema'
import { AGENT_KEYS, MODEL_ALIASES } from '@troupe/schema/agent-keys'
import { describe, expect, it } from 'vitest'
import { convertCard, parseCard, type ParsedCard, errorsOf } from './cards.ts'
import { claudeCodeFormat } from '../src/claude/claude-code.ts'
import { CLAUDE_TOOLS } from '../src/claude/claude-tools.ts'
import { isSafeToIgnore } from '@troupe/cards/formats'

const modelWords = new Set<string>()

function parse(yaml: string, path = '/team/a.md'): ParsedCard {
  return parseCard(`---\n${yaml}\n---\nBe brief.\n`, { path, modelWords })
}

function warningsOf({ problems }: ParsedCard): readonly string[] {
  return problems.filter(({ severity }) => severity === 'warning').map(({ code }) => code)
}

describe('a model alias', () => {
  it.each([...MODEL_ALIASES.keys(), 'inherit'])(
    'a model alias does not change the format of a card with all our keys: %s',
    (alias) => {
      const card = parse(
        `description: d\ndefault: true\nmodel: ${alias}\nagents: [helper]\nservers: [time]\npermissions: {deny: ["*"]}`,
      )
      expect(card.dialect).toBe('troupe')
      expect(card.problems).toEqual([])
      expect(card.definition).toMatchObject({
        default: true,
        agents: ['helper'],
        servers: ['time'],
        runtimeTools: [],
        permissions: { deny: ['*'] },
      })
    },
  )

  it.each([
    ['type: agent\nservers: [fetch]\nagents: [poet]\nfunction_tools: [a.ts:b]', 'troupe'],
    ['type: router\nagents: [poet]', 'troupe'],
    ['shell: false\nagents: [poet]', 'fast-agent'],
  ])('a model alias does not change the format of a fast-agent card: %j', (yaml, dialect) => {
    const { definition, dialect: chosen, problems } = parse(`description: d\nmodel: sonnet\n${yaml}`)
    expect(problems).toEqual([])
    expect(chosen).toBe(dialect)
    expect(definition?.agents).toEqual(['poet'])
    expect(definition?.runtimeTools).toEqual([])
  })

  it.each([
    ['model: sonnet', ['anthropic/claude-sonnet-4-6']],
    ['model: haiku?reasoning=low', ['anthropic/claude-haiku-4-5?reasoning=low']],
    ['models: [opus, openai/gpt-5]', ['anthropic/claude-opus-4-7', 'openai/gpt-5']],
    ['model: inherit', ['inherit']],
    ['model: [inherit, fable]', ['anthropic/claude-fable-5-1']],
  ])('a model alias is the newest model of that name in Troupe cards: %s', (yaml, model) => {
    expect(parse(`description: d\n${yaml}`).definition?.model).toEqual(model)
  })

  it('a model alias resolves as configured if the configuration defines it', () => {
    const text = '---\ndescription: d\nmodel: sonnet\ncontext: {strategy: summarise, model: haiku}\n---\nx'
    const { definition } = parseCard(text, { path: '/a.md', modelWords: new Set(['sonnet']) })
    expect(definition?.model).toEqual(['sonnet'])
    expect(definition?.context.model).toBe('anthropic/claude-haiku-4-5')
  })

  it('a model alias of the configuration is never taken for a fast-agent model', () => {
    const text = '---\ndescription: d\nmodel: team.high\n---\nx'
    const card = parseCard(text, { path: '/a.md', modelWords: new Set(['team.high']) })
    expect(card.dialect).toBe('troupe')
  })
})

describe('a format that is inferred from values only', () => {
  it('an inferred format is reported with the way to choose another one', () => {
    const card = parse('description: d\ntools: Read, Grep\nmodel: inherit')
    expect(card.dialect).toBe('claude-code')
    expect(card.definition?.tools).toEqual({ allow: ['filesystem.read', 'filesystem.search'] })
    expect(card.problems).toMatchObject([
      { severity: 'warning', code: 'card_format_assumed', message: expect.stringContaining('Claude Code') },
    ])
    expect(card.problems[0]?.fix).toContain('`dialect: claude-code`')
    expect(card.problems[0]?.fix).toContain('`dialect: troupe`')
    expect(parse('dialect: claude-code\ndescription: d\ntools: Read, Grep').problems).toEqual([])
    expect(parse('description: d\ntools: Read', '/p/.claude/agents/a.md').problems).toEqual([])
  })

  it('a format is not inferred if its agents inherit tools, but it is reported as a possibility', () => {
    const card = parse('description: d\nmode: subagent')
    expect(card.definition).toBeUndefined()
    expect(warningsOf(card)).toEqual(['card_format_assumed'])
    expect(card.problems.find(({ severity }) => severity === 'warning')?.fix).toContain('`dialect: opencode`')
  })

  it('a format is also reported if a key identifies it and its agents inherit tools', () => {
    const card = parse('description: d\ndisallowedTools: Bash')
    expect(card.dialect).toBe('claude-code')
    expect(card.problems).toMatchObject([
      { code: 'card_format_assumed', message: expect.stringContaining('the file system and the shell') },
    ])
  })
})

describe('`format`', () => {
  it('`format` means the same as `dialect`', () => {
    expect(parse('format: claude-code\ndescription: d\ntools: Read').dialect).toBe('claude-code')
    expect(parse('format: troupe\ndescription: d', '/p/.claude/agents/a.md').dialect).toBe('troupe')
  })

  it('`format` is an error if it names no known format, or another one than `dialect`', () => {
    expect(errorsOf(parse('format: wide\ndescription: d'))).toMatchObject([
      expect.stringMatching(/^2:1 card_unknown_dialect /u),
    ])
    expect(errorsOf(parse('dialect: troupe\nformat: gemini\ndescription: d'))).toMatchObject([
      expect.stringMatching(/^3:1 card_alias_conflict /u),
    ])
  })
})

describe('a Troupe key that the format of a file does not have', () => {
  const claude = (yaml: string): ParsedCard => parse(`description: d\n${yaml}`, '/p/.claude/agents/a.md')

  it.each([
    'permissions: {deny: ["*"]}',
    'limits: {maxCost: 1}',
    'max_turns: 3',
    'toolPermission: always',
    'requiresApproval: ["*"]',
    'servers: [time]',
    'agents: [helper]',
    'functionTools: [a.ts:b]',
    'tool_hooks: [a.ts:b]',
    'loopHooks: {onEnd: a.ts:b}',
    'runtimeTools: [human]',
    'hidden: true',
    'store: none',
  ])('an unsupported Troupe key that restricts is an error: %s', (yaml) => {
    const card = claude(yaml)
    expect(card.definition).toBeUndefined()
    expect(card.problems).toMatchObject([{ severity: 'error', code: 'card_key_ignored', line: 3, column: 1 }])
    expect(card.problems[0]?.fix).toContain('`dialect: troupe`')
  })

  it.each(['temperature: 0.3', 'usage: Ask.', 'output: {format: json}'])(
    'an unsupported Troupe key that does not restrict is a warning: %s',
    (yaml) => {
      const card = claude(yaml)
      expect(card.definition).toBeDefined()
      expect(card.problems).toMatchObject([
        { severity: 'warning', code: 'card_key_ignored', line: 3, column: 1 },
      ])
    },
  )

  it('an unsupported Troupe key is an error unless it is known to be safe to ignore', () => {
    const claudeKeys = new Set(claudeCodeFormat.rows.map(({ key }) => key))
    for (const key of AGENT_KEYS) {
      if (claudeKeys.has(key) || key === 'dialect' || key === '$schema') continue
      const severity = isSafeToIgnore(key) ? 'warning' : 'error'
      const card = claude(`${key}: {}`)
      expect(card.problems).toContainEqual(
        expect.objectContaining({
          code: 'card_key_ignored',
          severity,
          message: expect.stringContaining(`\`${key}\``),
        }),
      )
    }
  })

  it('an unsupported Troupe key is not lost in a conversion', () => {
    const text = '---\ndescription: d\npermissions: {deny: ["*"]}\n---\nx\n'
    expect(convertCard(text, { path: '/p/.claude/agents/a.md' }).cards).toEqual([])
  })

  it('an unsupported Troupe key next to the agents of a file is an error too', () => {
    const text = JSON.stringify({ agent: { a: { prompt: 'p' } }, limits: { maxCost: 1 } })
    const card = parseCard(text, { path: '/p/opencode.json' })
    expect(card.definition).toBeUndefined()
    expect(card.problems).toContainEqual(
      expect.objectContaining({ code: 'card_key_ignored', severity: 'error' }),
    )
  })
})

/** Returns the runtime tools of an agent, and the servers whose tools it may call. */
function granted({ runtimeTools, tools, servers, mcpServers, agents }: AgentDefinition): ReadonlySet<string> {
  const filesystem = ['read', 'list', 'search', 'write'].map((name) => `filesystem.${name}`)
  const there: Readonly<Record<string, readonly string[]>> = {
    filesystem,
    shell: ['shell.execute'],
    human: ['human.ask'],
    skills: ['skill.read'],
    shared: ['shared'],
  }
  const isAllowed = (name: string): boolean =>
    tools.allow === undefined || tools.allow.includes('*') || tools.allow.includes(name)
  return new Set([
    ...runtimeTools.flatMap((group) => there[group] ?? []).filter(isAllowed),
    ...[...servers, ...Object.keys(mcpServers)].map((name) => `server ${name}`),
    ...agents.map((agent) => `agent ${typeof agent === 'string' ? agent : agent.name}`),
  ])
}

describe('the inferred format of a file outside the folders of products', () => {
  const models = [
    ...MODEL_ALIASES.keys(),
    'inherit',
    'default',
    'opusplan',
    '$system.fast',
    'gpt-5.low',
    'openai/gpt-5',
  ]
  const names = [
    ...CLAUDE_TOOLS.keys(),
    'Bash(git log *)',
    'mcp__time__now',
    'Agent(helper)',
    'search/codebase',
    'read_file',
    'time__now',
    'Unheard',
  ]
  const list = fc.oneof(
    ...[
      names,
      ['Read', 'Grep', 'Bash(git log *)'],
      ['search/codebase', 'edit/*', 'notes/search'],
      ['read_file', 'mcp_time_now'],
    ].map((some) => fc.array(fc.constantFrom(...some), { maxLength: 4 })),
  )
  const own = {
    name: fc.constant('a'),
    description: fc.constant('d'),
    type: fc.constant('agent'),
    mode: fc.constantFrom('autonomous', 'interactive', 'subagent'),
    default: fc.boolean(),
    hidden: fc.boolean(),
    model: fc.oneof(
      fc.constantFrom(...models),
      fc.array(fc.constantFrom(...models), { minLength: 1, maxLength: 2 }),
    ),
    tools: fc.oneof(
      list,
      list.map((entries) => entries.join(', ')),
      fc.constant({ bash: true, edit: false }),
      fc.constant({ '*': false, read: true }),
    ),
    temperature: fc.constant(0.2),
    skills: fc.constant(['./notes']),
    agents: fc.constant(['helper']),
    servers: fc.constant(['time']),
    mcpServers: fc.constant({ notes: { url: 'https://notes.example/mcp' } }),
    functionTools: fc.constant(['a.ts:b']),
    toolHooks: fc.constant(['a.ts:b']),
    limits: fc.constant({ maxTurns: 3 }),
    toolPermission: fc.constantFrom('always', 'tool'),
    requiresApproval: fc.constant(['*']),
    permissions: fc.constant({ deny: ['shell.execute'] }),
    runtimeTools: fc.constantFrom(['human'], ['filesystem'], []),
    store: fc.constant('none'),
    env: fc.constant(['KEY']),
  }
  const { name, description, model, tools, temperature } = own
  // a format is only guessed for cards with few keys, so half of the cards have no others
  const fields = fc.oneof(
    fc.record({ name, description, model, tools, temperature }, { requiredKeys: [] }),
    fc
      .tuple(fc.subarray(Object.keys(own), { maxLength: 6 }), fc.record(own))
      .map(([keys, all]) => Object.fromEntries(Object.entries(all).filter(([key]) => keys.includes(key)))),
  ) as fc.Arbitrary<JsonObject>
  const paths = fc.constantFrom('/team/a.md', '/team/sub/a.md', '/team/a.yaml', '/team/a.json')

  const textOf = (written: JsonObject, path: string): string =>
    path.endsWith('.md')
      ? `---\n${JSON.stringify(written)}\n---\nx\n`
      : JSON.stringify({ ...written, instruction: 'x' })

  it('an inferred format never grants a tool that the file does not grant as a Troupe card', () => {
    const formats = new Set<string>()
    fc.assert(
      fc.property(fields, paths, (written, path) => {
        const { definition: chosen, dialect } = parseCard(textOf(written, path), { path })
        formats.add(dialect)
        if (chosen === undefined) return
        // a mode of another product is an error in a Troupe card, and grants nothing
        const { mode: _, ...rest } = written
        const ours = parseCard(textOf({ ...rest, dialect: 'troupe' }, path), { path }).definition
        const allowed = ours === undefined ? new Set<string>() : granted(ours)
        for (const tool of granted(chosen)) expect(allowed).toContain(tool)
      }),
      { numRuns: 3000 },
    )
    expect([...formats]).toEqual(expect.arrayContaining(['claude-code', 'fast-agent', 'troupe']))
  })

  it('an inferred format keeps every permission, approval and limit of the file', () => {
    fc.assert(
      fc.property(fields, paths, (written, path) => {
        const chosen = parseCard(textOf(written, path), { path }).definition
        const ours = parseCard(textOf({ ...written, dialect: 'troupe' }, path), { path }).definition
        if (chosen === undefined || ours === undefined) return
        expect(chosen.permissions.deny).toEqual(ours.permissions.deny)
        for (const key of ['toolPermission', 'toolHooks', 'limits', 'store', 'hidden'] as const)
          expect(chosen[key]).toEqual(ours[key])
        // Some products also ask about the tools of servers.
        expect(chosen.requiresApproval).toEqual(expect.arrayContaining([...ours.requiresApproval]))
      }),
      { numRuns: 1000 },
    )
  })
})
