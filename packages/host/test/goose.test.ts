import { createMemoryStore } from '@troupe/store'
import { scriptedModel, type ScriptedModel } from '@troupe/testkit'
import { fakeClock } from '@troupe/testkit/internal'
import type { Message } from '@troupe/schema'
import { expect, it } from 'vitest'
import type { HostOptions } from '../src/index.ts'
import { codes, openTeam, type RunningTeam } from './support/open-team.ts'

const RECIPE = `title: Review
description: Reviews a folder.
instructions: |
  You review {{ path }}.
  {% if deep == "true" %}Read every file.{% else %}Read the newest file.{% endif %}
  Write {{ not a name }} as it is.
prompt: Review {{ path }} in {{ language | upper }}.
parameters:
  - {key: path, input_type: string, requirement: required, description: The folder}
  - {key: language, input_type: string, requirement: optional, default: english}
  - {key: deep, input_type: boolean, requirement: optional, default: "false"}
`

async function open(
  files: Readonly<Record<string, string>>,
  model: ScriptedModel,
  options: Partial<HostOptions> = {},
): Promise<RunningTeam> {
  return openTeam(files, {
    ...options,
    cards: ['review.yaml'],
    models: { 'test/m': model },
    config: { defaults: { model: 'test/m' } },
  })
}

function textsOf(prompt: readonly Message[] = []): readonly string[] {
  return prompt.map(({ content }) =>
    typeof content === 'string'
      ? content
      : content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  )
}

it('a goose recipe starts with its prompt and the values of its parameters', async () => {
  const model = scriptedModel([{ text: 'Done.' }])
  const host = await open({ 'review.yaml': RECIPE }, model)
  expect(host.plan().problems.filter(({ severity }) => severity === 'error')).toEqual([])
  const report = await host.run(undefined, { path: 'src', deep: true })
  expect(report).toMatchObject({ outcome: 'completed', output: { text: 'Done.' } })
  const [system, message] = textsOf(model.calls[0]?.prompt)
  expect(system).toContain('You review src.\nRead every file.\nWrite {{ not a name }} as it is.')
  expect(message).toBe('Review src in ENGLISH.')
})

it('a goose recipe whose parameters have defaults starts without a message', async () => {
  const model = scriptedModel([{ text: 'Done.' }])
  const recipe = RECIPE.replace('requirement: required,', 'requirement: optional, default: lib,')
  const host = await open({ 'review.yaml': recipe }, model)
  expect(await host.run(undefined, '')).toMatchObject({ outcome: 'completed' })
  const [system, message] = textsOf(model.calls[0]?.prompt)
  expect(system).toContain('You review lib.\nRead the newest file.')
  expect(message).toBe('Review lib in ENGLISH.')
})

it('a message replaces the prompt of a goose recipe, and parameters have their defaults', async () => {
  const model = scriptedModel([{ text: 'Done.' }])
  const recipe = RECIPE.replace('requirement: required,', 'requirement: optional, default: lib,')
  const host = await open({ 'review.yaml': recipe }, model)
  await host.run(undefined, 'Only say hello.')
  const [system, message] = textsOf(model.calls[0]?.prompt)
  expect(system).toContain('You review lib.')
  expect(message).toBe('Only say hello.')
})

it.each([
  ['no input', ''],
  ['an object without the value', { language: 'en' }],
  ['a text', 'Review it.'],
])('a goose recipe without a required value fails before a model is called: %s', async (_what, input) => {
  const model = scriptedModel([])
  const host = await open({ 'review.yaml': RECIPE }, model)
  const report = await host.run(undefined, input)
  expect(report).toMatchObject({ outcome: 'failed', error: { code: 'input_invalid' } })
  expect(report.error?.message).toContain('path')
  expect(model.calls).toEqual([])
})

it('an unknown variable and an invalid template of a goose recipe are errors', async () => {
  const model = scriptedModel([])
  const unknown = await open({ 'review.yaml': RECIPE.replace('{{ path }} in', '{{ pth }} in') }, model)
  expect(unknown.plan().problems).toContainEqual(
    expect.objectContaining({
      severity: 'error',
      message: '`input.message` has the unknown variable `pth`; did you mean `path`?',
    }),
  )
  const invalid = await open({ 'review.yaml': RECIPE.replace('{% endif %}', '') }, model)
  expect(codes(invalid.plan().problems.filter(({ severity }) => severity === 'error'))).toEqual([
    'card_bad_value',
  ])
})

it('a value that looks like a template is inserted as it is', async () => {
  const model = scriptedModel([{ text: 'Done.' }])
  const host = await open({ 'review.yaml': RECIPE }, model)
  await host.run(undefined, { path: '{{ language }}' })
  expect(textsOf(model.calls[0]?.prompt)[1]).toBe('Review {{ language }} in ENGLISH.')
})

it('a sub-recipe is a tool with its name, without the values that the recipe fixes', async () => {
  const model = scriptedModel([
    { calls: [{ tool: 'finder', args: { deep: true } }] },
    { text: 'Found.' },
    { text: 'Done.' },
  ])
  const child = RECIPE.replace('title: Review', 'title: Find')
  const parent = `title: Lead
description: Leads.
instructions: You lead.
prompt: Begin.
sub_recipes:
  - {name: finder, path: ./find.yaml, values: {language: french, path: "{{ folder }}"}}
parameters:
  - {key: folder, input_type: string, requirement: optional, default: src}
`
  const host = await open({ 'review.yaml': parent, 'find.yaml': child }, model)
  expect(host.plan().problems.filter(({ severity }) => severity === 'error')).toEqual([])
  const report = await host.run('review', { folder: 'lib' })
  expect(report).toMatchObject({ outcome: 'completed', output: { text: 'Done.' } })
  const [first, second] = model.calls
  expect(first?.tools).toEqual(['finder'])
  expect(JSON.stringify(first?.options.tools)).not.toContain('language')
  expect(textsOf(second?.prompt)[1]).toBe('Review lib in FRENCH.')
})

it.each([
  ['in memory', {}],
  ['in a store', { store: createMemoryStore({ clock: fakeClock() }) }],
])('a later message of a conversation keeps the values of a goose recipe: %s', async (_where, options) => {
  const model = scriptedModel([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }])
  const host = await open({ 'review.yaml': RECIPE }, model, options)
  const session = { sessionId: 's' }
  await host.run(undefined, { path: 'src' }, session)
  expect(await host.run(undefined, 'Go on.', session)).toMatchObject({ outcome: 'completed' })
  expect(await host.run(undefined, 'And on.', session)).toMatchObject({ outcome: 'completed' })
  const messages = textsOf(model.calls[2]?.prompt)
  expect(messages[0]).toContain('You review src.')
  expect(messages.slice(1)).toEqual(['Review src in ENGLISH.', 'One.', 'Go on.', 'Two.', 'And on.'])
})

it('a recording of a goose recipe is replayed with its values', async () => {
  const model = scriptedModel([{ text: 'One.' }])
  const host = await open({ 'review.yaml': RECIPE }, model)
  let recording = ''
  await host.run(undefined, { path: 'src' }, { record: (text) => void (recording = text) })
  expect(await host.replay(recording)).toMatchObject({ outcome: 'completed', output: { text: 'One.' } })
})
