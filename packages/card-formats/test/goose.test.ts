import { describe, expect, it } from 'vitest'
import { parseCard, type ParsedCard } from './cards.ts'

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
      sub_recipes: [{ name: 'child', path: 'c.yaml', values: {} }],
      settings: { goose_provider: 'openai', unheard: 1 },
    })
    expect(report.filter(({ status }) => status === 'ignored').map(({ key }) => key)).toEqual([
      'title',
      'sub_recipes.0.name',
      'sub_recipes.0.values',
      'settings.goose_provider',
      'settings.unheard',
      '(no extensions)',
    ])
  })

  it('a goose recipe whose keys are in template blocks is an error that says what to do', () => {
    const text =
      'title: t\nprompt: p\nextensions:\n{% if x %}\n  - type: builtin\n    name: developer\n{% endif %}\n'
    const { problems } = parseCard(text, { path: '/p/.goose/recipes/a.yaml' })
    expect(problems).toMatchObject([
      { code: 'card_bad_yaml', line: 4, fix: expect.stringContaining('inside text') },
    ])
  })
})
