import { isJsonObject, type Json } from '@troupe/schema'
import { basename } from 'node:path'
import {
  addToList,
  dottedPath,
  type FieldContext,
  type FieldOutcome,
  type FieldPath,
  type FieldRow,
  textList,
  troupeFormat,
} from '@troupe/cards/formats'
import {
  drop,
  dropWithWarning,
  ignored,
  rule,
  translated,
  type FieldRules,
  isText,
  mappingOf,
} from '../rules/field-rule.ts'
import { putIncluded } from '../rules/include-files.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import {
  configEnvFiles,
  configFiles,
  configLayers,
  findConfigEntry,
  refuseTroupeKeys,
  type ConfigEntry,
} from './config-layers.ts'
import { isUnset } from './config-keys.ts'
import { fillVariables } from './prompt-variables.ts'
import { putDefaults } from './put-defaults.ts'
import { putConfiguredProviders } from './put-providers.ts'
import { putOpenApiTools } from './put-openapi-tools.ts'
import { putRestTool } from './put-rest-tools.ts'
import { putConfiguredServers } from './put-servers.ts'
import { CONFIG_ROWS, reportSettings } from './put-settings.ts'
import { renderPrompt } from './render-prompt.ts'

const INCLUDE = /\$\{include:(?<path>[^}\n]+)\}/gu
/** Values that leave a setting to the provider. */
const UNSET = /^(?:none|off|unset|default)$/iu

const NOT_SENT = 'Troupe does not send this setting, so the model uses its own'
const NO_CACHE = 'answers are not stored, so every call runs the agent (see the hook `troupe:cache`)'

const RULES: FieldRules = {
  tools: rule(
    {
      status: 'translated',
      to: 'servers',
      reason: 'names are MCP servers; a mapping filters tools, as in Troupe cards',
    },
    putTools,
  ),
  toolsAllowed: rule({ status: 'translated', to: 'tools' }, (value, { rewriter, from }) => {
    rewriter.put(['tools'], value, from)
    return undefined
  }),
  toolsDenied: rule({ status: 'translated', to: 'permissions.deny' }, (value, { rewriter, from }) => {
    const names = textList(value, from)
    if (names === undefined) return ignored('it is not a list of names')
    addToList(rewriter, { to: ['permissions', 'deny'], values: names.map(({ text }) => text), from })
    return undefined
  }),
  agents: rule({ status: 'honoured' }, (value, { rewriter, from }) => {
    rewriter.put(
      ['agents'],
      isText(value) ? (textList(value, from) ?? []).map(({ text }) => text) : value,
      from,
    )
    return undefined
  }),
  models: rule({ status: 'translated', to: 'model' }, (value, { rewriter, from }) => {
    const names = textList(value, from)?.map(({ text }) => text)
    const [only] = names ?? []
    rewriter.put(
      ['model'],
      names === undefined ? value : names.length === 1 && only !== undefined ? only : names,
      from,
    )
    return undefined
  }),
  input: rule(
    {
      status: 'honoured',
      reason: 'a bare JSON Schema is `input.schema`; `schemaRef` is `schema`, as in `output`',
    },
    (value, { rewriter, from }) => {
      const isSchema = isJsonObject(value) && isText(value['type']) && value['format'] === undefined
      rewriter.put(isSchema ? ['input', 'schema'] : ['input'], value, from)
      return isSchema ? translated('input.schema') : undefined
    },
  ),
  temperature: setting('temperature'),
  topP: setting('topP'),
  reasoning: rule({ status: 'honoured' }, (value, { rewriter, from }) => {
    if (isText(value) && /^(?:default|inherit)$/u.test(value)) return ignored('the provider decides')
    rewriter.put(['reasoning'], value === 'unset' ? 'none' : value, from)
    return undefined
  }),
  toolResponseMaxBytes: rule(
    { status: 'translated', to: 'limits.maxToolResultBytes' },
    (value, { rewriter, from }) => {
      rewriter.put(['limits', 'maxToolResultBytes'], value, from)
      return undefined
    },
  ),
  maxConcurrentTools: rule(
    { status: 'translated', to: 'limits.maxParallel' },
    (value, { rewriter, from }) => {
      rewriter.put(['limits', 'maxParallel'], value, from)
      return undefined
    },
  ),
  topK: lostSetting(NOT_SENT),
  repeatPenalty: lostSetting(NOT_SENT),
  reasoningTokens: rule(
    { status: 'translated', to: 'reasoning', reason: 'a number of tokens instead of the level' },
    (value) => (typeof value === 'number' && value > 0 ? undefined : ignored('the level decides')),
  ),
  caching: drop('the provider decides how prompts are cached'),
  cache: lostSetting(NO_CACHE, [0, '0']),
  toolOutput: drop('long results are truncated; see `limits.maxToolResultBytes`'),
  contextWindow: dropWithWarning('the size belongs to the model; set it in `providers.*.models`'),
  contextWindowBufferTokens: lostSetting('see `context.threshold`', [8192]),
  toolName: rule({ status: 'translated', to: 'toolName' }, (value, { rewriter, from }) => {
    rewriter.put(['toolName'], isText(value) ? `agent__${value}` : value, from)
    return isText(value) ? translated(`toolName: agent__${value}`) : undefined
  }),
  advisors: rule({ status: 'translated', to: 'fanOut' }, putAgents(['fanOut'])),
  router: rule({ status: 'translated', to: 'handoffs' }, (value, field) => {
    const { destinations, ...others } = mappingOf(value)
    if (destinations === undefined || Object.keys(others).length > 0)
      refuse('`router` needs `destinations`, a list of agents, and nothing else.', field)
    else putAgents(['handoffs'])(destinations, { ...field, from: [...field.from, 'destinations'] })
    return undefined
  }),
  routerDestinations: rule({ status: 'translated', to: 'handoffs' }, putAgents(['handoffs'])),
  handoff: rule({ status: 'translated', to: 'fanIn' }, (value, field) => {
    const [agent, ...others] = isText(value)
      ? [value]
      : Array.isArray(value)
        ? (value as readonly Json[])
        : []
    if (!isText(agent) || others.length > 0) refuse('`handoff` needs the path of one agent.', field)
    else field.rewriter.put(['fanIn'], agent, field.from)
    return undefined
  }),
  plugins: rule(
    { status: 'ignored', problem: 'error', reason: 'plugins of ai-agent are not run' },
    (_value, field) => {
      refuse('The plugins of ai-agent cannot be run. Write a hook (`toolHooks`, `loopHooks`) instead.', field)
      return undefined
    },
  ),
  stream: drop('answers are streamed whenever a client listens'),
  traceLLM: drop('see `--events`'),
  traceMCP: drop('see `--events`'),
  verbose: drop('see `--verbose`'),
}

function setting(name: string): FieldRules[string] {
  return rule({ status: 'honoured' }, (value, { rewriter, from }) => {
    if (isText(value) && UNSET.test(value)) return ignored('the provider decides')
    rewriter.put([name], value, from)
    return undefined
  })
}

/** Creates a rule for a key without which the agent may do something else, unless it has one of the values. */
function lostSetting(reason: string, harmless: readonly Json[] = []): FieldRules[string] {
  return rule({ status: 'ignored', problem: 'warning', reason }, (value, { rewriter, from }) => {
    if (isUnset(value) || harmless.includes(value)) return ignored('it is not set or off')
    rewriter.addProblem({
      severity: 'warning',
      code: 'key_without_effect',
      message: `\`${dottedPath(from)}\` has no effect: ${reason}.`,
      at: from,
    })
    return undefined
  })
}

/** Creates the handler of a key that lists agents, also as text with commas. */
function putAgents(to: FieldPath): (value: Json, field: FieldContext) => undefined {
  return (value, { rewriter, from }) => {
    rewriter.put(to, isText(value) ? (textList(value, from) ?? []).map(({ text }) => text) : value, from)
  }
}

function refuse(message: string, { rewriter, from }: FieldContext): void {
  rewriter.addProblem({ code: 'card_unsupported', message, at: from })
}

/** Rows of the documentation for keys that Troupe cards have, too. */
const CARD_ROWS: readonly FieldRow[] = [
  ...['description', 'usage', 'output', 'maxOutputTokens'].map(
    (key) => ({ key, status: 'honoured' }) as const,
  ),
  ...['maxTurns', 'maxToolCallsPerTurn', 'maxRetries', 'llmTimeout', 'toolTimeout'].map(
    (key) => ({ key, status: 'translated', to: `limits.${key}` }) as const,
  ),
]

/** Tools of ai-agent itself. Troupe's loop does the same without them. */
const OWN_TOOLS: ReadonlySet<string> = new Set([
  'batch',
  'agent__batch',
  'final_report',
  'agent__final_report',
  'task_status',
  'agent__task_status',
  'progress_report',
  'agent__progress_report',
])

function putTools(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, from } = field
  const names = textList(value, from)
  if (names === undefined) {
    rewriter.put(['tools'], value, from)
    return { status: 'honoured' }
  }
  const layers = configLayers(field.card)
  for (const { text, at } of new Map(names.map((name) => [name.text, name])).values()) {
    const find = (section: string, prefix: RegExp): ConfigEntry | undefined =>
      findConfigEntry(layers, section, text.replace(prefix, ''))
    const isOpenApi = text.startsWith('openapi:')
    const openApi = isOpenApi ? find('openapiSpecs', /^openapi:/u) : undefined
    const rest = find('mcpServers', /^$/u) === undefined ? find('restTools', /^rest__/u) : undefined
    if (OWN_TOOLS.has(text.replaceAll('-', '_'))) {
      const reason = 'models call several tools at once without it'
      rewriter.note({ key: `tools: ${text}`, status: 'ignored', reason })
    } else if (openApi !== undefined) putOpenApiTools(openApi.at[1], openApi, { field, at })
    else if (rest !== undefined) putRestTool(rest.at[1], rest, { layers, field, at })
    else if (isOpenApi || text.startsWith('rest__')) {
      const section = isOpenApi ? 'openapiSpecs' : 'restTools'
      rewriter.addProblem({
        code: 'card_unsupported',
        message: `The tool "${text}" is not in \`${section}\` of the configuration.`,
        at,
        fix: 'Correct the name, or define it in `.ai-agent.json`.',
      })
    } else addToList(rewriter, { to: ['servers'], values: [text], from: at })
  }
  return undefined
}

/** Moves `schemaRef` to `schema`, where Troupe cards name a schema file. */
function putSchemaFiles({ rewriter }: FieldContext): void {
  for (const key of ['input', 'output']) {
    const from = [key, 'schemaRef']
    const path = rewriter.get(from)
    if (!isText(path)) continue
    rewriter.remove(from)
    rewriter.put([key, 'schema'], path, from)
    rewriter.note({ key: dottedPath(from), status: 'translated', to: `${key}.schema` })
  }
}

/** Formats of ai-agent's channels that are text in Troupe. */
const TEXT_FORMATS: ReadonlySet<Json | undefined> = new Set([
  'pipe',
  'tty',
  'sub-agent',
  'slack-block-kit',
  'discord',
])

function putOutputFormat({ rewriter }: FieldContext): void {
  const from = ['output', 'format']
  const format = rewriter.get(from)
  if (!TEXT_FORMATS.has(format)) return
  rewriter.remove(from)
  rewriter.put(from, 'text', from)
  rewriter.note({ key: dottedPath(from), status: 'translated', to: 'output.format: text' })
}

/** Limits the reasoning to a number of tokens, unless it is off. */
function putReasoningTokens({ rewriter, card }: FieldContext): void {
  const { reasoningTokens: tokens } = card.fields
  if (typeof tokens !== 'number' || tokens <= 0 || rewriter.get(['reasoning']) === 'none') return
  rewriter.remove(['reasoning'])
  rewriter.put(['reasoning'], tokens, ['reasoningTokens'])
}

/** Names the tool of the agent as ai-agent does: after its file, in lower case. */
function putToolName({ rewriter, card }: FieldContext): void {
  if (rewriter.get(['toolName']) !== undefined || !/\.ai$/iu.test(card.path)) return
  const stem = basename(card.path).replace(/\.ai$/iu, '')
  const tool = stem.toLowerCase().replaceAll(/[^a-z\d_-]+/gu, '_')
  if (tool !== stem && rewriter.get(['name']) === undefined) rewriter.put(['toolName'], `agent__${tool}`, [])
}

function readBody(written: string, field: FieldContext): string {
  const layers = configLayers(field.card)
  const body = includeFiles(written, field)
  return fillVariables(renderPrompt(body, layers, field), layers, field)
}

function includeFiles(body: string, { rewriter, card }: FieldContext): string {
  if (!body.includes('${include:')) return body
  const { text, included } = putIncluded(body, INCLUDE, { rewriter, card, at: [] })
  if (included.length > 0)
    rewriter.note({
      key: '(prompt) ${include:…}',
      status: 'translated',
      to: 'instruction',
      reason: `with ${included.join(', ')}`,
    })
  return text
}

function afterKeys(field: FieldContext): void {
  const layers = configLayers(field.card)
  refuseTroupeKeys(layers, field)
  putSchemaFiles(field)
  putOutputFormat(field)
  putToolName(field)
  putReasoningTokens(field)
  putDefaults(layers, field)
  reportSettings(layers, field)
  putConfiguredServers(layers, field)
  putConfiguredProviders(layers, field)
}

/**
 * Card format of ai-agent prompts (`*.ai`): Troupe's keys, but `tools` names servers and prompts are Liquid
 * templates. Servers, providers and defaults come from the layers of `.ai-agent.json`.
 */
export const aiAgentFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'ai-agent',
  product: 'ai-agent',
  pathPatterns: ['*.ai'],
  ending: /\.ai$/iu,
  rules: RULES,
  moreRows: [...CARD_ROWS, ...CONFIG_ROWS],
  base: troupeFormat,
  refusesUnknownKeys: true,
  tools: 'none',
  acceptsValues: ({ fields, path }) =>
    /\.ai$/iu.test(path) ||
    Object.keys(fields).some((key) => Object.hasOwn(RULES, key) && !troupeFormat.isKey(key)),
  readBody,
  projectFiles: configFiles,
  envFiles: configEnvFiles,
  afterKeys,
})
