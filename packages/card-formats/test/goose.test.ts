import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { convertCard, parseCard, type ParsedCard } from './cards.ts'

function recipe(more: object): ParsedCard {
  return parseCard(JSON.stringify({ title: 't', description: 'd', prompt: 'p', ...more }), {
    path: '/p/.goose/recipes/a.json',
  })
}

describe('a goose recipe', () => {
  it('a goose recipe refers to files in its own folder', () => {
    const { definition } = recipe({
      extensions: [
        { type: 'stdio', name: 'x', cmd: 'run', args: ['{{ recipe_dir }}/../x.py', '{{recipe_dir}}'] },
      ],
      sub_recipes: [{ name: 'child', path: '{{ recipe_dir }}/child.yaml' }],
    })
    expect(definition?.mcpServers['x']?.args).toEqual(['./../x.py', '.'])
    expect(definition?.agents).toEqual(['./child.yaml'])
  })

  it('a goose recipe grants only the listed tools of an extension', () => {
    const tools = (available: readonly string[]): unknown =>
      recipe({ extensions: [{ type: 'builtin', name: 'developer', available_tools: available }] }).definition
        ?.tools
    expect(tools(['shell'])).toEqual({ allow: ['shell.execute'] })
    expect(tools(['developer__shell'])).toEqual({ allow: ['shell.execute'] })
    expect(tools(['text_editor'])).toEqual({ allow: ['filesystem.read', 'filesystem.write'] })
    expect(tools(['unheard_of'])).toEqual({ allow: [] })
    expect(tools([])).toEqual({
      allow: ['filesystem.read', 'filesystem.list', 'filesystem.search', 'filesystem.write', 'shell.execute'],
    })
  })

  it('a goose recipe gets the to-do list and the notes of its extensions', () => {
    const tools = (name: string, available: readonly string[] = []): unknown =>
      recipe({ extensions: [{ type: 'platform', name, available_tools: available }] }).definition?.tools
    expect(tools('todo')).toEqual({ allow: ['todo.read', 'todo.write'] })
    expect(tools('memory')).toEqual({
      allow: ['memory.list', 'memory.read', 'memory.write', 'memory.delete'],
    })
    expect(tools('memory', ['retrieve_memories'])).toEqual({ allow: ['memory.list', 'memory.read'] })
    expect(recipe({ extensions: [{ type: 'builtin', name: 'memory' }] }).definition).toMatchObject({
      runtimeTools: ['memory'],
      permissions: { ask: ['memory.write', 'memory.delete'] },
    })
  })

  it.each([
    ['True', true],
    ['true', true],
    ['False', false],
    [true, true],
  ])('a goose recipe has defaults of their type: %j', (value, expected) => {
    const parameters = [{ key: 'k', input_type: 'boolean', requirement: 'optional', default: value }]
    expect(recipe({ parameters }).definition?.input.schema).toMatchObject({
      properties: { k: { type: 'boolean', default: expected } },
    })
  })

  it('a goose recipe reports what it drops from children and settings', () => {
    const { report } = recipe({
      sub_recipes: [{ path: 'c.yaml', sequential_when_repeated: true }, { name: 'n' }],
      settings: { goose_provider: 'openai', unheard: 1 },
    })
    expect(report.filter(({ status }) => status === 'ignored').map(({ key }) => key)).toEqual([
      'title',
      'sub_recipes.1',
      'settings.goose_provider',
      'settings.unheard',
      '(no extensions)',
    ])
  })

  it('the sub-recipes of a goose recipe keep their names, descriptions and fixed values', () => {
    const { definition } = recipe({
      sub_recipes: [
        {
          name: 'find_files',
          path: './find.yaml',
          description: 'Finds.',
          values: { kind: 'source', deep: true },
        },
      ],
    })
    expect(definition?.agents).toEqual(['./find.yaml'])
    expect(definition?.agentTools).toEqual({
      './find.yaml': { name: 'find_files', description: 'Finds.', input: { kind: 'source', deep: true } },
    })
  })

  it('a goose recipe that is a child twice is offered once, with a warning', () => {
    const { definition, problems } = recipe({
      sub_recipes: [
        { name: 'a', path: 'c.yaml' },
        { name: 'b', path: 'c.yaml' },
      ],
    })
    expect(definition?.agents).toEqual(['c.yaml'])
    expect(problems).toMatchObject([{ severity: 'warning', code: 'key_without_effect' }])
  })

  it('the prompt of a goose recipe is the first message, and its instructions are the prompt', () => {
    const { definition, problems } = recipe({ instructions: 'You count {{ what }}.', prompt: 'Begin.' })
    expect(problems).toEqual([])
    expect(definition?.instruction).toBe('You count {{ what }}.')
    expect(definition?.input).toMatchObject({ format: 'json', message: 'Begin.', template: 'jinja' })
    expect(recipe({}).definition).toMatchObject({ instruction: 'Task: d', input: { message: 'p' } })
  })

  it('the parameters of a goose recipe are its input: required and asked ones are required', () => {
    const { definition } = recipe({
      parameters: [
        { key: 'a', input_type: 'string', requirement: 'required', description: 'A' },
        { key: 'b', input_type: 'select', requirement: 'optional', default: 'x', options: ['x', 'y'] },
        { key: 'c', input_type: 'date', requirement: 'user_prompt' },
        { key: 'd', input_type: 'string', requirement: 'user_prompt', default: 5 },
      ],
    })
    expect(definition?.input.schema).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', description: 'A' },
        b: { type: 'string', enum: ['x', 'y'], default: 'x' },
        c: { type: 'string', format: 'date' },
        d: { type: 'string', default: '5' },
      },
      required: ['a', 'c'],
    })
  })

  it('variables in extensions of a goose recipe are filled with defaults, and others are errors', () => {
    const parameters = [
      { key: 'mode', input_type: 'string', requirement: 'optional', default: 'fast' },
      { key: 'path', input_type: 'string', requirement: 'required' },
    ]
    const extension = (argument: string): ParsedCard =>
      recipe({ parameters, extensions: [{ type: 'stdio', name: 'x', cmd: 'run', args: [argument] }] })
    expect(extension('--{{ mode }}').definition?.mcpServers['x']?.args).toEqual(['--fast'])
    expect(extension('{{ path }}').problems).toMatchObject([
      {
        code: 'card_unsupported',
        message: '`extensions.0.args.0` needs the value of `path`, which is known only when a run starts.',
      },
    ])
    expect(extension('{% if path %}a{% endif %}').problems).toMatchObject([{ code: 'card_unsupported' }])
  })

  it('the variable for the folder of a goose recipe is filled in its prompts', () => {
    const { definition } = recipe({ prompt: 'Read {{ recipe_dir }}/notes.md.' })
    expect(definition?.input).toMatchObject({ message: 'Read /p/.goose/recipes/notes.md.' })
    expect(definition?.input.template).toBeUndefined()
  })

  it('convert keeps the templates, the first message and the sub-recipes of a goose recipe', () => {
    const text = JSON.stringify({
      title: 't',
      description: 'd',
      instructions: 'You count {{ what }}.',
      prompt: 'Count {{ what }}.',
      parameters: [{ key: 'what', input_type: 'string', requirement: 'required', description: 'W' }],
      sub_recipes: [{ name: 'find', path: './find.yaml', values: { what: '{{ what }}' } }],
    })
    const path = '/p/.goose/recipes/a.json'
    const [card] = convertCard(text, { path, to: '/p' }).cards
    const { definition, problems } = parseCard(card?.text ?? '', { path: '/p/a.md' })
    expect(problems).toEqual([])
    const { instruction, input } = parseCard(text, { path }).definition ?? {}
    expect(definition?.instruction).toBe(instruction)
    expect(definition?.input).toEqual(input)
    expect(definition?.agentTools).toEqual({
      '.goose/recipes/find.yaml': { name: 'find', input: { what: '{{ what }}' } },
    })
    expect(definition?.agents).toEqual(['.goose/recipes/find.yaml'])
  })

  it('a goose recipe whose keys are in template blocks is an error that says what to do', () => {
    const text =
      'title: t\nprompt: p\nextensions:\n{% if x %}\n  - type: builtin\n    name: developer\n{% endif %}\n'
    const { problems } = parseCard(text, { path: '/p/.goose/recipes/a.yaml' })
    expect(problems).toMatchObject([
      { code: 'card_bad_yaml', line: 4, fix: expect.stringContaining('inside text') },
    ])
  })

  it('sub-recipes that may not run at once are called one after the other', () => {
    const child = { name: 'a', path: 'c.yaml' }
    const limits = (more: object): unknown =>
      recipe({ sub_recipes: [{ ...child, ...more }] }).definition?.limits.maxParallel
    expect(limits({ sequential_when_repeated: true })).toBe(1)
    expect(limits({ sequential_when_repeated: false })).toBe(limits({}))
  })
})

describe('the checks of a goose recipe', () => {
  const retry = {
    max_retries: 3,
    checks: [
      { type: 'shell', command: 'test -f {{ file }}' },
      { type: 'shell', command: 'grep -q done notes' },
    ],
    on_failure: 'rm -f notes',
  }
  const withExtension = (extension: object): ParsedCard =>
    recipe({
      instructions: 'You write files.',
      parameters: [{ key: 'file', input_type: 'string', requirement: 'required' }],
      extensions: [extension],
      retry,
    })

  it(`the model runs the checks itself with the shell, where each call needs approval ${verifies('R4')}`, () => {
    const { definition, problems } = withExtension({ type: 'builtin', name: 'developer' })
    expect(definition?.instruction).toBe(
      [
        'You write files.\n\nWhen you have finished, check the result. Run each of these commands with shell.execute:',
        '```sh\ntest -f {{ file }}\n```',
        '```sh\ngrep -q done notes\n```',
        'If one of them fails, run this command and start again from the beginning, at most 3 times:',
        '```sh\nrm -f notes\n```',
      ].join('\n'),
    )
    expect(definition?.input.template).toBe('jinja')
    expect(definition?.permissions.ask).toContain('shell.execute')
    expect(problems).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('nothing enforces them') as string },
    ])
  })

  it.each([
    { type: 'builtin', name: 'developer', available_tools: ['text_editor'] },
    { type: 'stdio', name: 'developer', cmd: 'developer-server' },
  ])(`the checks never give a shell to an agent without one: %j ${verifies('R4')}`, (extension) => {
    const { definition, problems } = withExtension(extension)
    expect(definition?.instruction).toBe('You write files.')
    expect(definition?.tools.allow).not.toContain('shell.execute')
    expect(problems).toMatchObject([
      { message: '`retry` has no effect: the agent has no shell for the checks.' },
    ])
  })
})

describe('the extensions of a goose recipe', () => {
  it.each([
    [{ type: 'inline_python', name: 'sum', code: 'print(1)' }, 'Python code in a recipe is not run'],
    [{ type: 'frontend', name: 'form' }, 'Troupe has no frontend extension of that name'],
    [{ type: 'builtin', name: 'autovisualiser' }, 'answers are text'],
  ])(`an extension that the agent does not get is a warning: %j ${verifies('R4')}`, (extension, reason) => {
    expect(recipe({ extensions: [extension] }).problems).toMatchObject([
      {
        severity: 'warning',
        message: `\`extensions.0\`: the agent does not get the extension "${extension.name}": ${reason}.`,
      },
    ])
  })

  it('an extension that an agent does not miss is no warning', () => {
    expect(recipe({ extensions: [{ type: 'platform', name: 'summon' }] }).problems).toEqual([])
  })

  it('a misspelt key of an extension or a setting is a warning', () => {
    const { problems } = recipe({
      extensions: [{ type: 'builtin', name: 'developer', availible_tools: ['shell'] }],
      settings: { goose_model: 'm', max_turn: 3 },
    })
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('did you mean `available_tools`?'),
      expect.stringContaining('did you mean `max_turns`?'),
    ])
  })
})

describe('a goose recipe as the goose app saves it', () => {
  it.each(['json', 'yaml'])('a recipe nested under `recipe` is read like one that is not: %s', (ending) => {
    const inner = { title: 't', description: 'd', instructions: 'You count.', prompt: 'Count.' }
    const saved = {
      name: 'Counter',
      recipe: inner,
      isGlobal: true,
      lastModified: '2026-01-01',
      isArchived: false,
    }
    const path = `/p/.goose/recipes/count.${ending}`
    const { definition, problems } = parseCard(JSON.stringify(saved), { path })
    expect(problems).toEqual([])
    expect(definition).toMatchObject({
      name: 'count',
      instruction: 'You count.',
      input: { message: 'Count.' },
    })
  })
})
