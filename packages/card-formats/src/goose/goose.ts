import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import {
  addToList,
  dottedPath,
  type FieldContext,
  type FieldOutcome,
  type RawCard,
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
} from '../rules/field-rule.ts'
import { withoutRecipeFolder, putExtensions } from './goose-extensions.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import { promptRule } from '../rules/common-rules.ts'

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
  instructions: promptRule(),
  prompt: rule({ status: 'translated', to: 'instruction', reason: 'appended to `instructions`' }, putPrompt),
  parameters: rule(
    {
      status: 'translated',
      to: 'input.schema',
      reason: 'the caller sends the values; `{{ name }}` in the prompt is not replaced',
    },
    putParameters,
  ),
  extensions: rule({ status: 'translated', to: 'mcpServers, runtimeTools, tools' }, putExtensions),
  sub_recipes: rule({ status: 'translated', to: 'agents', reason: 'by file path' }, putChildren),
  response: rule({ status: 'translated', to: 'output' }, (value, { rewriter, from }) => {
    const schema = mappingOf(value)['json_schema']
    if (schema === undefined) return ignored('it has no json_schema')
    rewriter.put(['output'], { format: 'json', schema }, from)
    rewriter.locate(['output', 'schema'], [...from, 'json_schema'])
    return undefined
  }),
  settings: rule({ status: 'translated', to: 'model, temperature, limits.maxTurns' }, putSettings),
  retry: dropWithWarning('success is not checked with shell commands'),
  activities: drop('they are buttons of the goose interface'),
  sub_recipe: drop('it is the former name of `sub_recipes`'),
  context: drop('write it in `instructions`'),
}

function putPrompt(value: Json, { rewriter, card, from }: FieldContext): FieldOutcome {
  const { instructions } = card.fields
  if (!isText(instructions) || !isText(value)) {
    rewriter.put(['instruction'], value, from)
    return undefined
  }
  rewriter.remove(['instruction'])
  rewriter.put(['instruction'], `${instructions.trimEnd()}\n\n${value}`, from)
  return undefined
}

function putParameters(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  if (!Array.isArray(value) || value.length === 0) return ignored('there are none')
  const parameters = (value as readonly Json[]).map(mappingOf)
  const properties = Object.fromEntries(
    parameters.map((parameter) => [textOf(parameter['key']), toProperty(parameter)]),
  )
  const required = parameters
    .filter((parameter) => parameter['requirement'] === 'required')
    .map((parameter) => textOf(parameter['key']))
  rewriter.put(
    ['input'],
    {
      format: 'json',
      schema: { type: 'object', properties, ...(required.length === 0 ? {} : { required }) },
    },
    from,
  )
  return undefined
}

function toProperty(parameter: JsonObject): JsonObject {
  const { input_type: type, description, options } = parameter
  return {
    type: type === 'number' || type === 'boolean' ? type : 'string',
    ...(isText(description) ? { description } : {}),
    ...(Array.isArray(options) && options.length > 0 ? { enum: options } : {}),
    ...(parameter['default'] === undefined ? {} : { default: toDefault(parameter['default'], type) }),
  }
}

/** Converts a default to the type of its parameter; in goose all defaults are text. */
function toDefault(value: Json, type: Json | undefined): Json {
  if (type === 'number' && isText(value) && Number.isFinite(Number(value))) return Number(value)
  return type === 'boolean' && isText(value) ? value.toLowerCase() === 'true' : value
}

/** Keys of sub-recipes that are ignored, with the reason. */
const IGNORED_CHILD_KEYS: ReadonlyMap<string, string> = new Map([
  ['name', 'a child is named after its own file'],
  ['description', 'the child provides its own description'],
  ['values', 'the model of the parent chooses the input of a child'],
  ['sequential_when_repeated', 'see `limits.maxParallel`'],
])

function putChildren(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  if (!Array.isArray(value)) return ignored('it is not a list')
  for (const [index, entry] of (value as readonly Json[]).entries()) {
    const child = mappingOf(entry)
    const at = [...from, index]
    const path = withoutRecipeFolder(child['path'])
    if (isText(path)) addToList(rewriter, { to: ['agents'], values: [path], from: [...at, 'path'] })
    for (const [key, reason] of IGNORED_CHILD_KEYS)
      if (child[key] !== undefined)
        rewriter.note({ key: dottedPath([...at, key]), status: 'ignored', reason })
  }
  return undefined
}

function putSettings(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  const {
    goose_provider: provider,
    goose_model: model,
    temperature,
    max_turns: turns,
    ...rest
  } = mappingOf(value)
  if (isText(model)) {
    const prefix = isText(provider) ? `${PROVIDERS.get(provider) ?? provider}/` : ''
    rewriter.put(['model'], `${prefix}${model}`, [...from, 'goose_model'])
  }
  if (temperature !== undefined) rewriter.put(['temperature'], temperature, [...from, 'temperature'])
  if (turns !== undefined) rewriter.put(['limits', 'maxTurns'], turns, [...from, 'max_turns'])
  if (isText(provider) && !isText(model))
    rewriter.note({
      key: dottedPath([...from, 'goose_provider']),
      status: 'ignored',
      reason: 'without a model, the default model is used',
    })
  for (const key of Object.keys(rest))
    rewriter.note({
      key: dottedPath([...from, key]),
      status: 'ignored',
      reason: 'Troupe has no such setting',
    })
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
  afterKeys: ({ card, rewriter }) => {
    if (card.fields['extensions'] === undefined)
      rewriter.note({ key: '(no extensions)', status: 'ignored', reason: NO_EXTENSIONS })
  },
})
