import { type Json, isJsonObject } from '@troupe/schema'
import { agentFieldsSchema } from '@troupe/schema/agent-keys'
import { dottedPath, type FieldContext, type FieldOutcome, type ModelMapping } from '@troupe/cards/formats'
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
} from './rules/field-rule.ts'
import { createCardFormat } from './rules/create-card-format.ts'
import { promptRule, modelRule } from './rules/common-rules.ts'
import { putServer } from './rules/server-keys.ts'
import { MISSING_TOOLS } from './rules/tool-mapping.ts'

const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['gemini', 'google'],
  ['claude', 'anthropic'],
  ['anthropic', 'anthropic'],
  ['openai', 'openai'],
  ['ollama', 'ollama'],
])

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

const KEYS = 'API keys come from the environment or from `providers` in troupe.json'

const RULES: FieldRules = {
  metadata: rule({ status: 'translated', to: 'see below' }, () => ignored('it is not a mapping')),
  settings: rule({ status: 'translated', to: 'see below' }, () => ignored('it is not a mapping')),
  systemPrompt: promptRule(),
  rules: rule(
    {
      status: 'translated',
      to: 'instruction',
      reason: 'only entries that are always included, appended to the prompt',
    },
    appendTexts,
  ),
  references: rule(
    {
      status: 'translated',
      to: 'instruction',
      reason: 'only entries that are always included, appended to the prompt',
    },
    appendTexts,
  ),
  mcpServers: rule({ status: 'translated', to: 'mcpServers' }, putServers),
  providers: rule({ status: 'ignored', reason: KEYS }, (value, field) =>
    Object.values(mappingOf(value)).some((provider) => Object.keys(mappingOf(provider)).length > 0)
      ? dropWithWarning(KEYS).apply?.(value, field)
      : undefined,
  ),
  schedules: drop(MISSING_TOOLS.time.reason),
  supervisors: dropWithWarning('agents do not monitor each other; see `permissions` and `toolHooks`'),
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

function appendTexts(value: Json, { rewriter, card, from }: FieldContext): FieldOutcome {
  const entries = Array.isArray(value) ? (value as readonly Json[]).map(mappingOf) : []
  const always = entries.filter(
    (entry) => entry['enabled'] !== false && (entry['include'] ?? 'always') === 'always',
  )
  const texts = always.map((entry) => entry['text']).filter(isText)
  if (texts.length === 0)
    return ignored(entries.length === 0 ? 'there are none' : 'none of them is set to be always included')
  const before = rewriter.get(['instruction']) ?? card.fields['systemPrompt']
  rewriter.remove(['instruction'])
  rewriter.put(['instruction'], [isText(before) ? before : '', ...texts].join('\n\n').trim(), from)
  return undefined
}

function putServers(value: Json, field: FieldContext): FieldOutcome {
  for (const [name, server] of Object.entries(mappingOf(value))) {
    const { serverToolDefaults, tools, ...rest } = mappingOf(server)
    const at = [...field.from, name]
    if (rest['type'] === 'internal') {
      field.rewriter.note({
        key: dottedPath(at),
        status: 'ignored',
        reason: 'it is built into tsagent',
      })
      continue
    }
    const approval = approvalOf(mappingOf(serverToolDefaults), mappingOf(tools))
    const definition = approval === undefined ? rest : { ...rest, requiresApproval: approval }
    putServer(name, definition, { field, at })
  }
  return undefined
}

/**
 * Returns true if all tools of a server need approval, the names of those that do, or `undefined` if there
 * are none.
 */
function approvalOf(
  defaults: { readonly [key: string]: Json },
  tools: { readonly [key: string]: Json },
): Json | undefined {
  if (defaults['permissionRequired'] === true) return true
  const named = Object.entries(tools)
    .filter(([, tool]) => isJsonObject(tool) && tool['permissionRequired'] === true)
    .map(([name]) => name)
  return named.length === 0 ? undefined : named
}

/** Card format of tsagent: one YAML file per agent. */
export const tsagentFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'tsagent',
  product: 'tsagent',
  pathPatterns: ['*.yaml'],
  rules: RULES,
  nested: NESTED,
  tools: 'none',
  hasUniqueShape: ({ fields }) =>
    isText(fields['systemPrompt']) && (isJsonObject(fields['metadata']) || isJsonObject(fields['settings'])),
  acceptsValues: ({ fields, body }) =>
    body === undefined &&
    (Object.hasOwn(fields, 'systemPrompt') || isText(mappingOf(fields['settings'])['model'])),
})
