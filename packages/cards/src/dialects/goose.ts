import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dotted, type FieldPath } from '../fields/field-path.ts'
import { addToList } from './add-to-list.ts'
import type { DialectInput, Translation } from './dialect.ts'
import { drop, dropLoudly, ignored, keep, rule, translated } from './field-rule.ts'
import type { FieldContext, FieldOutcome, FieldRules } from './field-rule.ts'
import { keyDialect } from './key-dialect.ts'
import { promptRule } from './prompt-rule.ts'
import { isText, mappingOf, textOf } from './json-shapes.ts'
import { putServer } from './server-words.ts'
import { textList } from './text-list.ts'
import { NO_TOOL, type ToolWord } from './tool-words.ts'

/** Extensions that goose itself brings. */
const BUILT_IN: ReadonlyMap<string, ToolWord> = new Map<string, ToolWord>([
  [
    'developer',
    {
      tools: ['filesystem.read', 'filesystem.list', 'filesystem.search', 'filesystem.write', 'shell.execute'],
    },
  ],
  ['analyze', { tools: ['filesystem.read', 'filesystem.list', 'filesystem.search'] }],
  ['skills', { tools: ['skill.read'] }],
  ['todo', NO_TOOL.todo],
  ['summon', NO_TOOL.children],
  ['memory', { reason: 'agents keep nothing between runs' }],
  ['computercontroller', NO_TOOL.web],
  ['autovisualiser', { reason: 'answers are text' }],
  ['tutorial', { reason: 'it teaches goose' }],
  ['extensionmanager', { reason: 'the tools of an agent do not change during a run' }],
  ['chatrecall', { reason: 'an agent sees the conversation of its run only' }],
])
const TYPES: ReadonlyMap<Json, string> = new Map<Json, string>([
  ['stdio', 'stdio'],
  ['sse', 'sse'],
  ['streamable_http', 'http'],
])
/** Providers that have another name here. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['gcp_vertex_ai', 'google'],
  ['gemini', 'google'],
  ['claude-code', 'anthropic'],
])

const RULES: FieldRules = {
  version: drop('it is the version of the format'),
  title: rule(
    { status: 'translated', to: 'description', reason: 'where there is none; the name is that of the file' },
    (value, field) => {
      if (isText(field.card.fields['description'])) return ignored('the name of an agent is that of its file')
      field.rewriter.put(['description'], value, field.from)
      return undefined
    },
  ),
  name: keep(),
  description: keep(),
  author: drop('it is for catalogues'),
  instructions: promptRule(),
  prompt: rule({ status: 'translated', to: 'instruction', reason: 'behind `instructions`' }, putPrompt),
  parameters: rule(
    {
      status: 'translated',
      to: 'input.schema',
      reason: 'their values come with the request; `{{ name }}` in the prompt stays as it is',
    },
    putParameters,
  ),
  extensions: rule({ status: 'translated', to: 'mcpServers, runtimeTools, tools' }, putExtensions),
  sub_recipes: rule({ status: 'translated', to: 'agents', reason: 'by path' }, putChildren),
  response: rule({ status: 'translated', to: 'output' }, (value, { rewriter, from }) => {
    const schema = mappingOf(value)['json_schema']
    if (schema === undefined) return ignored('it has no json_schema')
    rewriter.put(['output'], { format: 'json', schema }, from)
    rewriter.locate(['output', 'schema'], [...from, 'json_schema'])
    return undefined
  }),
  settings: rule({ status: 'translated', to: 'model, temperature, limits.maxTurns' }, putSettings),
  retry: dropLoudly('success is not checked by shell commands'),
  activities: drop('they are buttons of goose'),
  sub_recipe: drop('it is the older name of `sub_recipes`'),
  context: drop('a prompt has no further parts'),
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

/** Defaults are text there, whatever the type. */
function toDefault(value: Json, type: Json | undefined): Json {
  if (type === 'number' && isText(value) && Number.isFinite(Number(value))) return Number(value)
  return type === 'boolean' && isText(value) ? value === 'true' : value
}

function putExtensions(value: Json, field: FieldContext): FieldOutcome {
  field.grant.limit()
  if (!Array.isArray(value)) return ignored('it is no list')
  for (const [index, entry] of (value as readonly Json[]).entries()) {
    const at = [...field.from, index]
    const extension = isText(entry) ? { type: 'builtin', name: entry } : mappingOf(entry)
    const outcome = putExtension(extension, { field, at })
    if (outcome !== undefined) field.rewriter.note({ key: dotted(at), ...outcome })
  }
  return undefined
}

function putExtension(
  extension: JsonObject,
  { field, at }: { readonly field: FieldContext; readonly at: FieldPath },
): FieldOutcome {
  const type = TYPES.get(extension['type'] ?? '')
  const name = textOf(extension['name'], `server${String(at.at(-1))}`).replaceAll(/\s+/gu, '-')
  if (type === undefined) return putBuiltIn(extension, name, { field, at })
  const { cmd, args, uri, headers, envs, cwd, timeout } = extension
  const keys = textList(extension['env_keys'] ?? [], at) ?? []
  const env = { ...mappingOf(envs), ...Object.fromEntries(keys.map(({ text }) => [text, `\${${text}}`])) }
  const server: Record<string, Json | undefined> = {
    ...(type === 'stdio' ? { command: cmd, args } : { type, url: uri, headers }),
    cwd,
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(typeof timeout === 'number' ? { toolTimeout: timeout * 1000 } : {}),
  }
  const given = Object.fromEntries(Object.entries(server).filter(([, member]) => member !== undefined))
  putServer(name, given as JsonObject, { field, at })
  const tools = textList(extension['available_tools'] ?? [], at)?.map(({ text }) => text) ?? []
  field.grant.allowServer(name, at, tools.length === 0 ? ['*'] : tools)
  return translated(`mcpServers.${name}`)
}

function putBuiltIn(
  extension: JsonObject,
  name: string,
  { field, at }: { readonly field: FieldContext; readonly at: FieldPath },
): FieldOutcome {
  const word = BUILT_IN.get(name.toLowerCase())
  if (word === undefined || !('tools' in word)) {
    const kind = textOf(extension['type'], 'such')
    return ignored(
      word !== undefined && 'reason' in word ? (word.reason ?? '') : `there are no ${kind} extensions`,
    )
  }
  field.grant.allow(word.tools, at)
  return translated(word.tools.join(', '))
}

function putChildren(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  if (!Array.isArray(value)) return ignored('it is no list')
  for (const [index, entry] of (value as readonly Json[]).entries()) {
    const { path, values } = mappingOf(entry)
    const at = [...from, index]
    if (isText(path)) addToList(rewriter, { to: ['agents'], values: [path], from: [...at, 'path'] })
    if (values !== undefined)
      rewriter.note({
        key: dotted([...at, 'values']),
        status: 'ignored',
        reason: 'the model of the parent fills in what a child is given',
      })
  }
  return undefined
}

function putSettings(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  const { goose_provider: provider, goose_model: model, temperature, max_turns: turns } = mappingOf(value)
  if (isText(model)) {
    const prefix = isText(provider) ? `${PROVIDERS.get(provider) ?? provider}/` : ''
    rewriter.put(['model'], `${prefix}${model}`, [...from, 'goose_model'])
  }
  if (temperature !== undefined) rewriter.put(['temperature'], temperature, [...from, 'temperature'])
  if (turns !== undefined) rewriter.put(['limits', 'maxTurns'], turns, [...from, 'max_turns'])
  return undefined
}

/** A recipe that the desktop app saved stands in `recipe`. */
function several(card: DialectInput): readonly Translation[] | undefined {
  const { recipe } = card.fields
  return isJsonObject(recipe)
    ? [{ ...gooseDialect.translate({ ...card, fields: recipe }), at: ['recipe'] }]
    : undefined
}

const OWN_KEYS = ['extensions', 'sub_recipes', 'settings', 'parameters', 'activities', 'response']

/** Recipes of goose. */
export const gooseDialect: ReturnType<typeof keyDialect> = keyDialect({
  name: 'goose',
  product: 'goose',
  places: ['.goose/recipes/*.yaml'],
  folder: /(?:^|\/)(?:\.goose|goose)\/recipes\//u,
  rules: RULES,
  tools: 'none',
  marks: ({ fields }) =>
    isText(fields['title']) &&
    (isText(fields['instructions']) || isText(fields['prompt'])) &&
    OWN_KEYS.some((key) => Object.hasOwn(fields, key)),
  fits: ({ fields, body }) =>
    body === undefined &&
    (isJsonObject(fields['recipe']) ||
      (isText(fields['title']) && (isText(fields['instructions']) || isText(fields['prompt'])))),
  fileKeys: [...Object.keys(RULES), 'recipe', 'isGlobal', 'lastModified', 'isArchived', '$schema', 'dialect'],
  several,
})
