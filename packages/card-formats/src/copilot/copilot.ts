import { isJsonObject, type Json } from '@troupe/schema'
import {
  addToList,
  type FieldContext,
  type FieldOutcome,
  type ModelMapping,
  type RawCard,
  textList,
} from '@troupe/cards/formats'
import {
  drop,
  dropUnlessOff,
  dropWithWarning,
  ignored,
  ignoredWithWarning,
  keep,
  rule,
  translated,
  type FieldRule,
  type FieldRules,
  mappingOf,
  textOf,
} from '../rules/field-rule.ts'
import { COPILOT_SERVER_ROWS, copilotProjectFiles, putWorkspaceServers } from './copilot-servers.ts'
import { copilotProductTools, isCopilotTool } from './copilot-tools.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import { effortRule, inheritedModel, modelRule } from '../rules/common-rules.ts'
import { putServer } from '../rules/server-keys.ts'
import { allowNamedTools } from '../rules/tool-mapping.ts'

/** Reads display names such as `Claude Sonnet 4.5 (copilot)` and API names such as `claude-sonnet-4.5`. */
export function readCopilotModel(name: string): ModelMapping {
  if (/^claude-[^\s/]*\d\.\d/u.test(name)) return { id: `anthropic/${name.replaceAll('.', '-')}` }
  const plain = name.replace(/\s*\([^)]*\)\s*/gu, '').trim()
  if (!/[A-Z\s(]/u.test(name)) return inheritedModel(name)
  const slug = plain.toLowerCase().replaceAll(/\s+/gu, '-')
  if (slug.startsWith('claude-')) return { id: `anthropic/${slug.replaceAll('.', '-')}` }
  if (/^(?:gpt-|o\d)/u.test(slug)) return { id: `openai/${slug}` }
  return slug.startsWith('gemini-') ? { id: `google/${slug}` } : inheritedModel(plain)
}

/** The rule for `tools` of agents and prompt files. */
export const COPILOT_TOOLS_RULE: FieldRule = rule(
  { status: 'translated', to: 'tools, runtimeTools, servers' },
  (value, field) => {
    const names = textList(value, field.from)
    if (names !== undefined) return allowNamedTools(names, copilotProductTools(field.card), field)
    field.rewriter.put(['tools'], value, field.from)
    return undefined
  },
)

/** The rule for `argument-hint` of agents and prompt files. */
export const COPILOT_HINT_RULE: FieldRule = rule(
  { status: 'translated', to: 'usage' },
  (value, { rewriter, from }) => {
    rewriter.put(['usage'], typeof value === 'string' ? value : JSON.stringify(value), from)
    return undefined
  },
)

const RULES: FieldRules = {
  name: rule({ status: 'honoured' }, (value, { rewriter, from }) => {
    rewriter.put(['name'], typeof value === 'string' ? legalName(value) : value, from)
    return value === rewriter.get(['name'])
      ? undefined
      : translated(`name: ${textOf(rewriter.get(['name']))}`)
  }),
  description: keep(),
  tools: COPILOT_TOOLS_RULE,
  model: modelRule(readCopilotModel, 'display names become model ids; Auto is the default model'),
  reasoningEffort: effortRule(),
  agents: rule(
    { status: 'translated', to: 'agents', reason: '`*` is not supported; list the children by name' },
    putAgents,
  ),
  'mcp-servers': rule({ status: 'translated', to: 'mcpServers' }, putServers),
  'user-invocable': rule(
    { status: 'translated', to: 'hidden', reason: 'false becomes hidden' },
    (value, { rewriter, from }) => {
      rewriter.put(['hidden'], value === false, from)
      return undefined
    },
  ),
  'user-invokable': rule(
    { status: 'translated', to: 'hidden', reason: 'false becomes hidden' },
    (value, { rewriter, from }) => {
      rewriter.put(['hidden'], value === false, from)
      return undefined
    },
  ),
  hidden: dropUnlessOff('GitHub Copilot has no such key; see `user-invocable`'),
  displayName: drop('an agent has one name'),
  target: drop('it selects a Copilot product'),
  'argument-hint': COPILOT_HINT_RULE,
  handoffs: dropWithWarning('a person chooses the next agent in the editor; list agents to call in `agents`'),
  hooks: dropWithWarning('hooks are shell commands of the editor; write them as `toolHooks`'),
  'disable-model-invocation': drop(
    'only agents that list it in `agents` call it, which the product allows too',
  ),
  infer: drop('only agents that list it in `agents` call it, which the product allows too'),
  skills: dropWithWarning('list the folders in `skills` of a Troupe card'),
  mode: drop('it is the former name of the file format'),
  metadata: drop('it is catalogue metadata'),
  author: drop('it is catalogue metadata'),
  version: drop('it is catalogue metadata'),
}

function putAgents(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, from } = field
  const names = textList(value, from)
  if (names === undefined) return ignored('it is not a list of names')
  const values = names.map(({ text }) => text).filter((text) => text !== '*')
  if (values.length < names.length) {
    const outcome = ignoredWithWarning('`*` is not supported; list the children by name', field)
    if (values.length === 0) return outcome
  }
  if (values.length === 0) return { status: 'honoured' }
  addToList(rewriter, { to: ['agents'], values, from })
  return { status: 'honoured' }
}

function putServers(value: Json, field: FieldContext): FieldOutcome {
  for (const [name, server] of Object.entries(mappingOf(value))) {
    const at = [...field.from, name]
    putServer(name, withVariables(server), { field, at })
    const tools = textList(mappingOf(server)['tools'] ?? '*', at)?.map(({ text }) => text) ?? ['*']
    if (!tools.includes('*')) field.grant.limitServer(name, tools)
  }
  return undefined
}

/** Names of secrets that Copilot replaces by their values. */
const SECRET_VARIABLE = /^COPILOT_MCP_\w+$/u
const WORKSPACE = /\$\{\{\s*github\.workspace\s*\}\}|\$\{workspaceFolder\}/gu

/** Converts Copilot's variables in all texts of a value. */
function withVariables(value: Json): Json {
  if (typeof value === 'string')
    return SECRET_VARIABLE.test(value) ? `\${${value}}` : value.replaceAll(WORKSPACE, '$${PWD}')
  if (Array.isArray(value)) return (value as readonly Json[]).map(withVariables)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withVariables(member)]))
}

/** Replaces characters that agent names cannot contain. */
export function legalName(name: string): string {
  return name.replaceAll(/[\p{Cc}/\\*?[\]{}]+/gu, '-').trim()
}

/** Card format of custom agents of GitHub Copilot and VS Code: `.github/agents/`, `*.agent.md`. */
export const copilotFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'copilot',
  product: 'GitHub Copilot',
  pathPatterns: ['.github/agents/*.md', '*.agent.md', '*.chatmode.md'],
  projectFolders: ['.github/agents', '.github/chatmodes'],
  folder: /(?:^|\/)\.(?:github|copilot)\/(?:agents|chatmodes)\/(?!.*\.ya?ml$)/u,
  ending: /\.(?:agent|chatmode)\.md$/iu,
  rules: RULES,
  tools: 'all',
  afterKeys: putWorkspaceServers,
  moreRows: COPILOT_SERVER_ROWS,
  projectFiles: copilotProjectFiles,
  acceptsValues,
  toleratesMissingParts: true,
})

const OWN_KEYS = [
  'target',
  'mcp-servers',
  'handoffs',
  'argument-hint',
  'user-invocable',
  'disable-model-invocation',
  'infer',
]

/** Returns true for keys and tools that only Copilot has. */
function acceptsValues({ fields, path }: RawCard): boolean {
  if (/\.(?:agent|chatmode)\.md$/iu.test(path)) return true
  if (OWN_KEYS.some((key) => Object.hasOwn(fields, key))) return true
  const { tools } = fields
  if (!Array.isArray(tools) || isJsonObject(tools)) return false
  const names = textList(tools, []) ?? []
  return names.some(({ text }) => text.includes('/')) && names.every(({ text }) => isCopilotTool(text))
}
