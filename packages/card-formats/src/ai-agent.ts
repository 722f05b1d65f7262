import { isJsonObject, parseDuration, type Json } from '@troupe/schema'
import {
  addToList,
  dottedPath,
  type FieldContext,
  type FieldOutcome,
  textList,
  troupeFormat,
} from '@troupe/cards/formats'
import { drop, ignored, rule, translated, type FieldRules, isText } from './rules/field-rule.ts'
import { putIncluded } from './rules/include-files.ts'
import { createCardFormat } from './rules/create-card-format.ts'

const INCLUDE = /\$\{include:(?<path>[^}\n]+)\}/gu
/** Values that leave a setting to the provider. */
const UNSET = /^(?:none|off|unset|default)$/iu

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
  topK: drop('Troupe does not send this setting'),
  repeatPenalty: drop('Troupe does not send this setting'),
  reasoningTokens: drop('see `reasoning`'),
  caching: drop('the provider decides how prompts are cached'),
  cache: rule({ status: 'ignored', reason: 'answers are not stored' }, (value) =>
    parseDuration(value) === undefined ? ignored('answers are never stored') : undefined,
  ),
  toolOutput: drop('long results are truncated; see `limits.maxToolResultBytes`'),
  contextWindow: drop('see `context`'),
  contextWindowBufferTokens: drop('see `context`'),
  advisors: drop('write a card of type `parallel`, or name them in `agents`'),
  router: drop('write a card of type `router`'),
  handoff: drop('write a card of type `chain`'),
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

function putTools(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, from } = field
  const names = textList(value, from)
  if (names === undefined) {
    rewriter.put(['tools'], value, from)
    return { status: 'honoured' }
  }
  for (const { text, at } of names) {
    if (/^(?:rest__|openapi:)/u.test(text))
      rewriter.note({
        key: `tools: ${text}`,
        status: 'ignored',
        reason: 'use an MCP server for REST and OpenAPI tools',
      })
    else addToList(rewriter, { to: ['servers'], values: [text], from: at })
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

function readBody(body: string, { rewriter, card }: FieldContext): string {
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

/**
 * Card format of ai-agent prompts (`*.ai`): Troupe's keys, but `tools` names servers and prompts may include
 * files.
 */
export const aiAgentFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'ai-agent',
  product: 'ai-agent',
  pathPatterns: ['*.ai'],
  ending: /\.ai$/iu,
  rules: RULES,
  base: troupeFormat,
  tools: 'none',
  acceptsValues: ({ fields, path }) =>
    /\.ai$/iu.test(path) ||
    Object.keys(fields).some((key) => Object.hasOwn(RULES, key) && !troupeFormat.isKey(key)),
  readBody,
  afterKeys: putSchemaFiles,
})
