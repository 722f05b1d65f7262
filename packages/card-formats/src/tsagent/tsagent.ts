import { dirname, join } from 'node:path'
import { isJsonObject, type Json } from '@troupe/schema'
import { agentFieldsSchema } from '@troupe/schema/agent-keys'
import { type FieldContext, type FieldOutcome, type ModelMapping } from '@troupe/cards/formats'
import {
  drop,
  dropWithWarning,
  ignored,
  keep,
  move,
  rule,
  type FieldRules,
  isText,
  mappingOf,
  translated,
} from '../rules/field-rule.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import { promptRule, modelRule } from '../rules/common-rules.ts'
import { nestedRows, type NestedKeys } from '../rules/nested-keys.ts'
import { MISSING_TOOLS } from '../rules/tool-mapping.ts'
import { putTexts, readTexts } from './include-texts.ts'
import { putServers, SERVER_ROWS } from './mcp-servers.ts'
import { isOldLayout, readFolderTexts } from './old-layout.ts'
import { PROVIDERS, putProviders } from './providers.ts'

/** Reads `provider:name`. */
function readModel(name: string): ModelMapping {
  const colon = name.indexOf(':')
  const provider = PROVIDERS.get(name.slice(0, Math.max(colon, 0)))
  return provider === undefined ? undefined : { id: `${provider}/${name.slice(colon + 1)}` }
}

/** Converts numbers that are written as text. */
function toNumber(value: Json): Json {
  return isText(value) && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value
}

const TEXTS_REASON =
  '`always` is appended to the prompt; `agent` and `manual` become skills that the model reads on demand'

const RULES: FieldRules = {
  metadata: rule({ status: 'translated', to: 'see below' }, () => ignored('it is not a mapping')),
  settings: rule({ status: 'translated', to: 'see below' }, () => ignored('it is not a mapping')),
  systemPrompt: promptRule(),
  rules: rule({ status: 'translated', to: 'instruction, skills', reason: TEXTS_REASON }, noteTexts),
  references: rule({ status: 'translated', to: 'instruction, skills', reason: TEXTS_REASON }, noteTexts),
  mcpServers: rule({ status: 'translated', to: 'mcpServers, tools, permissions' }, putServers),
  providers: rule(
    { status: 'translated', to: 'providers', reason: 'the one of the model; keys must be `env://NAME`' },
    () => undefined,
  ),
  schedules: dropWithWarning(MISSING_TOOLS.time.reason),
  supervisors: rule(
    { status: 'ignored', problem: 'error', reason: 'unless the list is empty' },
    refuseSupervisors,
  ),
}

const NESTED: Readonly<Record<string, FieldRules>> = {
  metadata: {
    name: rule({ status: 'honoured' }, (value, { rewriter, from }) => {
      rewriter.put(
        ['name'],
        isText(value) ? value.replaceAll(/[\p{Cc}/\\*?[\]{}]+/gu, '-').trim() : value,
        from,
      )
      return undefined
    }),
    description: keep(),
    version: rule({ status: 'honoured' }, (value, { rewriter, from }) => {
      if (isText(value) && !agentFieldsSchema.safeParse({ version: value }).success)
        return ignored('it does not have the form 1.4.0')
      rewriter.put(['version'], value, from)
      return undefined
    }),
    mode: keep(),
    autonomous: rule(
      { status: 'translated', to: 'mode', reason: 'true becomes autonomous' },
      (value, { rewriter, from, card }) => {
        const isTools = Array.isArray(mappingOf(card.fields['metadata'])['tools'])
        if (value === true && !isTools && rewriter.get(['mode']) === undefined)
          rewriter.put(['mode'], 'autonomous', from)
        return undefined
      },
    ),
    tools: rule(
      { status: 'translated', to: 'exports.tools', reason: 'and `mode: tools`' },
      (value, { rewriter, from }) => {
        rewriter.put(['exports', 'tools'], value, from)
        if (rewriter.get(['mode']) === undefined) rewriter.put(['mode'], 'tools', from)
        return undefined
      },
    ),
    skills: move(['exports', 'skills']),
    iconUrl: drop('it is catalogue metadata'),
    documentationUrl: drop('it is catalogue metadata'),
    provider: drop('it is catalogue metadata'),
    created: drop('it is catalogue metadata'),
    lastAccessed: drop('it is catalogue metadata'),
    id: drop('it is catalogue metadata'),
  },
  settings: {
    model: modelRule(readModel, 'gemini becomes google, claude becomes anthropic'),
    mostRecentModel: rule(
      { status: 'translated', to: 'model', reason: 'used if there is no `model`' },
      (value, field) => {
        if (mappingOf(field.card.fields['settings'])['model'] !== undefined)
          return ignored('`settings.model` counts')
        return modelRule(readModel, '').apply?.(value, field)
      },
    ),
    maxChatTurns: move(['limits', 'maxTurns'], { convert: toNumber }),
    maxTurns: rule({ status: 'translated', to: 'limits.maxTurns' }, (value, { rewriter, from, card }) => {
      if (mappingOf(card.fields['settings'])['maxChatTurns'] !== undefined)
        return ignored('`maxChatTurns` counts')
      rewriter.put(['limits', 'maxTurns'], toNumber(value), from)
      return undefined
    }),
    maxOutputTokens: move(['maxOutputTokens'], { convert: toNumber }),
    temperature: move(['temperature'], { convert: toNumber }),
    topP: move(['topP'], { convert: toNumber }),
    toolPermission: keep(),
    theme: drop('it only affects the tsagent app'),
    systemPath: drop('servers inherit the PATH of the troupe command'),
    contextTopK: drop('tools, rules and references are not selected by similarity'),
    contextTopN: drop('tools, rules and references are not selected by similarity'),
    contextIncludeScore: drop('tools, rules and references are not selected by similarity'),
  },
}

const TEXT_KEYS: NestedKeys = {
  name: translated('instruction, skills'),
  description: translated('skills'),
  text: translated('instruction, skills'),
  include: translated('instruction, skills', 'manual without the key'),
  priorityLevel: translated('instruction', 'lower numbers come first'),
  enabled: translated('instruction, skills', 'false: the text is left out'),
  embeddings: drop('texts are not selected by similarity'),
  hash: drop('texts are not selected by similarity'),
}
const ROWS = [
  ...nestedRows('rules.*', TEXT_KEYS),
  ...nestedRows('references.*', TEXT_KEYS),
  ...nestedRows(
    'metadata.tools.*',
    Object.fromEntries(
      ['name', 'description', 'parameters', 'prompt'].map((key) => [key, translated('exports.tools')]),
    ),
  ),
  ...SERVER_ROWS,
]

/** Turns of a run in tsagent if the settings do not say otherwise. */
const DEFAULT_TURNS = 20

/** Adds everything that depends on several keys: the texts of the agent and the provider of its model. */
function putRest(field: FieldContext): void {
  const { card, rewriter } = field
  const { fields } = card
  const old = isOldLayout(card) ? readFolderTexts(field) : undefined
  const written = old?.prompt ?? fields['systemPrompt']
  if (old?.prompt !== undefined) rewriter.put(['instruction'], old.prompt, [])
  putNamelessPrompt(field)
  const texts = [
    ...(old?.texts ?? []),
    ...readTexts(fields['references'] ?? [], 'reference', ['references']),
    ...readTexts(fields['rules'] ?? [], 'rule', ['rules']),
  ]
  putTexts(texts, isText(written) ? written.trim() : '', field)
  if (rewriter.get(['limits', 'maxTurns']) === undefined) {
    rewriter.put(['limits', 'maxTurns'], DEFAULT_TURNS, ['settings'])
    rewriter.note({ key: '(no maxChatTurns)', ...translated(`limits.maxTurns: ${DEFAULT_TURNS}`) })
  }
  putProviders(field)
}

/** Gives an agent without a prompt and a description its name as the prompt, because tsagent runs it. */
function putNamelessPrompt({ card, rewriter }: FieldContext): void {
  const { name, description } = mappingOf(card.fields['metadata'])
  const prompt = rewriter.get(['instruction']) ?? ''
  if (!isText(name) || !isText(prompt) || prompt.trim() !== '' || isText(description)) return
  rewriter.remove(['instruction'])
  rewriter.put(['instruction'], `You are ${name}.`, ['systemPrompt'])
  rewriter.note({
    key: 'systemPrompt',
    ...translated('instruction', 'it is empty, so the prompt is the name'),
  })
}

/** Reports how many entries of `rules` or `references` are always included, and how many are skills. */
function noteTexts(value: Json, { from }: FieldContext): FieldOutcome {
  const kind = from[0] === 'rules' ? 'rule' : 'reference'
  const texts = readTexts(value, kind, from)
  if (texts.length === 0) return ignored('there are none')
  const always = texts.filter(({ include }) => include === 'always').length
  const parts = [...(always > 0 ? ['instruction'] : []), ...(always < texts.length ? ['skills'] : [])]
  return translated(parts.join(', '), TEXTS_REASON)
}

/** Refuses agents that watch this one, because they may change or stop its messages. */
function refuseSupervisors(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  if (!Array.isArray(value) || value.length === 0) return ignored('there are none')
  rewriter.addProblem({
    code: 'card_unsupported',
    message: '`supervisors` restrict what the agent may say and do, which Troupe does not support.',
    at: from,
    fix: 'Remove them, and restrict the agent with `permissions` or `toolHooks` of a Troupe card.',
  })
  return undefined
}

/** Card format of tsagent: one file per agent, in older versions with a prompt and texts beside it. */
export const tsagentFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'tsagent',
  product: 'tsagent',
  pathPatterns: ['*.yaml'],
  rules: RULES,
  nested: NESTED,
  moreRows: ROWS,
  tools: 'none',
  afterKeys: putRest,
  envFiles: (path, { workspace }) => [join(workspace, '.env'), join(dirname(path), '.env')],
  hasUniqueShape: ({ fields }) =>
    isText(fields['systemPrompt']) && (isJsonObject(fields['metadata']) || isJsonObject(fields['settings'])),
  acceptsValues: ({ fields, body }) =>
    body === undefined &&
    (Object.hasOwn(fields, 'systemPrompt') || isText(mappingOf(fields['settings'])['model'])),
})
