import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import {
  addToList,
  dottedPath,
  type FieldContext,
  type FieldOutcome,
  type FieldPath,
  type RawCard,
  type Rewriter,
  type Translation,
} from '@troupe/cards/formats'
import {
  drop,
  dropWithWarning,
  ignored,
  keep,
  rule,
  type FieldRules,
  isText,
  mappingOf,
  textOf,
  translated,
} from '../rules/field-rule.ts'
import { nestedRows, reportNestedKeys, type NestedKeys } from '../rules/nested-keys.ts'
import { EXTENSION_ROWS, putExtensions, withoutRecipeFolder } from './goose-extensions.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import { noteParameters, PARAMETER_ROWS, parameterSchema } from './goose-parameters.ts'
import { appendChecks, putRetry, RETRY_ROWS } from './goose-retry.ts'
import { fillEarlyTemplates, isTemplate, withRecipeFolder } from './goose-templates.ts'

/** Providers that have another name in Troupe. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['gcp_vertex_ai', 'google'],
  ['gemini_cli', 'google'],
  ['gemini-cli', 'google'],
  ['codex', 'openai'],
  ['claude_code', 'anthropic'],
  ['gemini', 'google'],
  ['claude-code', 'anthropic'],
])

const RULES: FieldRules = {
  version: drop('it is the format version'),
  title: rule(
    {
      status: 'translated',
      to: 'description',
      reason: 'used if there is no description; the name is the file name',
    },
    (value, field) => {
      if (isText(field.card.fields['description'])) return ignored('the name of an agent is its file name')
      field.rewriter.put(['description'], value, field.from)
      return undefined
    },
  ),
  name: keep(),
  description: keep(),
  author: drop('it is catalogue metadata'),
  instructions: rule({ status: 'translated', to: 'instruction' }, () => undefined),
  prompt: rule(
    {
      status: 'translated',
      to: 'input.message',
      reason: 'the first message if the caller sends none; a template as well',
    },
    () => undefined,
  ),
  parameters: rule(
    { status: 'translated', to: 'input.schema', reason: 'the values fill in `instructions` and `prompt`' },
    noteParameters,
  ),
  extensions: rule({ status: 'translated', to: 'mcpServers, runtimeTools, tools' }, putExtensions),
  sub_recipes: rule(
    { status: 'translated', to: 'agents, agentTools', reason: 'by file path; `values` are fixed' },
    putChildren,
  ),
  response: rule({ status: 'translated', to: 'output' }, (value, { rewriter, from }) => {
    const schema = mappingOf(value)['json_schema']
    if (schema === undefined) return ignored('it has no json_schema')
    rewriter.put(['output'], { format: 'json', schema }, from)
    rewriter.locate(['output', 'schema'], [...from, 'json_schema'])
    return undefined
  }),
  settings: rule({ status: 'translated', to: 'model, temperature, limits.maxTurns' }, putSettings),
  retry: rule(
    {
      status: 'translated',
      to: 'instruction',
      problem: 'warning',
      reason:
        'the prompt tells the model to run the checks with `shell.execute`; without a shell it has no effect',
    },
    putRetry,
  ),
  activities: drop('they are buttons of the goose interface'),
  sub_recipe: dropWithWarning('the key is `sub_recipes`'),
  context: dropWithWarning('write it in `instructions`'),
}

const SETTINGS_KEYS: NestedKeys = {
  goose_provider: translated('model'),
  goose_model: translated('model'),
  temperature: translated('temperature'),
  max_turns: translated('limits.maxTurns'),
}
const SUB_RECIPE_KEYS: NestedKeys = {
  name: translated('agentTools'),
  path: translated('agents'),
  values: translated('agentTools', 'fixed values, which the model does not see'),
  description: translated('agentTools'),
  sequential_when_repeated: translated('limits.maxParallel', 'all sub-recipes run one after the other'),
}
const OF_DESKTOP = drop('it is metadata of the goose app')
const ROWS = [
  ...EXTENSION_ROWS,
  ...PARAMETER_ROWS,
  ...nestedRows('sub_recipes.*', SUB_RECIPE_KEYS),
  ...nestedRows('settings', SETTINGS_KEYS),
  ...RETRY_ROWS,
  ...nestedRows('response', { json_schema: translated('output.schema') }),
  ...nestedRows('(app)', {
    recipe: translated('see below', 'the recipe itself, as the goose app saves it'),
    isGlobal: OF_DESKTOP,
    lastModified: OF_DESKTOP,
    isArchived: OF_DESKTOP,
  }),
]

/** Adds the prompts of a recipe and its input: the values of its parameters fill in both prompts. */
function putInput(field: FieldContext): void {
  const { card, rewriter } = field
  const { instructions, prompt, parameters, title, description } = card.fields
  const hasParameters = Array.isArray(parameters) && parameters.length > 0
  const message = isText(prompt) && prompt.trim() !== '' ? withRecipeFolder(prompt, card) : undefined
  if (isText(instructions) && instructions.trim() !== '')
    rewriter.put(['instruction'], withRecipeFolder(instructions, card), ['instructions'])
  else if (message !== undefined)
    rewriter.put(['instruction'], `Task: ${textOf(description, textOf(title))}`, ['prompt'])
  appendChecks(field)
  if (hasTemplates(field)) rewriter.put(['input', 'template'], 'jinja', ['parameters'])
  if (message === undefined && !hasParameters) return
  rewriter.put(['input', 'format'], 'json', ['parameters'])
  rewriter.put(['input', 'schema'], parameterSchema(parameters), ['parameters'])
  if (message !== undefined) rewriter.put(['input', 'message'], message, ['prompt'])
}

/** Returns true if a prompt or a value of a sub-recipe is filled in when a run starts. */
function hasTemplates({ card, rewriter }: FieldContext): boolean {
  const { prompt, sub_recipes: children } = card.fields
  const values = (Array.isArray(children) ? (children as readonly Json[]) : []).flatMap((child) =>
    Object.values(mappingOf(mappingOf(child)['values'])),
  )
  const message = isText(prompt) ? withRecipeFolder(prompt, card) : ''
  return [rewriter.get(['instruction']), message, ...values].some((text) => isText(text) && isTemplate(text))
}

function putChildren(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, from } = field
  if (!Array.isArray(value)) return ignored('it is not a list')
  const tools: Record<string, JsonObject> = {}
  for (const [index, entry] of (value as readonly Json[]).entries()) {
    const child = mappingOf(entry)
    const at = [...from, index]
    const path = withoutRecipeFolder(child['path'])
    if (!isText(path)) {
      rewriter.note({ key: dottedPath(at), ...ignored('it has no path') })
      continue
    }
    if (tools[path] !== undefined) {
      reportRepeatedChild(at, rewriter)
      continue
    }
    addToList(rewriter, { to: ['agents'], values: [path], from: [...at, 'path'] })
    tools[path] = childTool(child)
    if (child['sequential_when_repeated'] === true)
      rewriter.put(['limits', 'maxParallel'], 1, [...at, 'sequential_when_repeated'])
    reportNestedKeys(child, SUB_RECIPE_KEYS, { product: 'goose', field, label: dottedPath(at), at })
  }
  if (Object.keys(tools).length > 0) rewriter.put(['agentTools'], tools, from)
  return undefined
}

function reportRepeatedChild(at: FieldPath, rewriter: Rewriter): void {
  const reason = 'the same recipe is already a child'
  rewriter.note({ key: dottedPath(at), ...ignored(reason) })
  rewriter.addProblem({
    severity: 'warning',
    code: 'key_without_effect',
    message: `\`${dottedPath(at)}\` has no effect: ${reason}.`,
    at,
    fix: 'Copy the recipe to a file of its own.',
  })
}

/** Returns the name, the description and the fixed values of a sub-recipe. */
function childTool({ name, description, values }: JsonObject): JsonObject {
  const fixed = mappingOf(values)
  return {
    ...(isText(name) && name !== '' ? { name } : {}),
    ...(isText(description) && description !== '' ? { description } : {}),
    ...(Object.keys(fixed).length === 0 ? {} : { input: fixed }),
  }
}

function putSettings(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, from } = field
  const settings = mappingOf(value)
  const { goose_provider: provider, goose_model: model, temperature, max_turns: turns } = settings
  if (isText(model)) {
    const prefix = isText(provider) ? `${PROVIDERS.get(provider) ?? provider}/` : ''
    rewriter.put(['model'], `${prefix}${model}`, [...from, 'goose_model'])
  }
  if (temperature !== undefined) rewriter.put(['temperature'], temperature, [...from, 'temperature'])
  if (turns !== undefined) rewriter.put(['limits', 'maxTurns'], turns, [...from, 'max_turns'])
  if (isText(provider) && !isText(model))
    rewriter.note({
      key: dottedPath([...from, 'goose_provider']),
      ...ignored('without a model, the default model is used'),
    })
  reportNestedKeys(settings, SETTINGS_KEYS, { product: 'goose', field, label: dottedPath(from), at: from })
  return undefined
}

/** Translates the recipe in `recipe`, which is how the desktop app saves it. */
function several(card: RawCard): readonly Translation[] | undefined {
  const { recipe } = card.fields
  return isJsonObject(recipe)
    ? [{ ...gooseFormat.translate({ ...card, fields: recipe }), at: ['recipe'] }]
    : undefined
}

const OWN_KEYS = ['extensions', 'sub_recipes', 'settings', 'parameters', 'activities', 'response']

const NO_EXTENSIONS =
  'goose uses the extensions of its own configuration; Troupe grants only tools of the recipe'

/** Card format of goose recipes. */
export const gooseFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'goose',
  product: 'goose',
  pathPatterns: ['.goose/recipes/*.yaml'],
  folder: /(?:^|\/)(?:\.goose|goose)\/recipes\//u,
  rules: RULES,
  moreRows: ROWS,
  tools: 'none',
  hasUniqueShape: ({ fields }) =>
    isText(fields['title']) &&
    (isText(fields['instructions']) || isText(fields['prompt'])) &&
    OWN_KEYS.some((key) => Object.hasOwn(fields, key)),
  acceptsValues: ({ fields, body }) =>
    body === undefined &&
    (isJsonObject(fields['recipe']) ||
      (isText(fields['title']) && (isText(fields['instructions']) || isText(fields['prompt'])))),
  fileKeys: [...Object.keys(RULES), 'recipe', 'isGlobal', 'lastModified', 'isArchived', '$schema', 'dialect'],
  several,
  prepare: fillEarlyTemplates,
  afterKeys: (field) => {
    const { card, rewriter } = field
    putInput(field)
    if (card.fields['extensions'] === undefined)
      rewriter.note({ key: '(no extensions)', status: 'ignored', reason: NO_EXTENSIONS })
  },
})
