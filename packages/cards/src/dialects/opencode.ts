import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dotted, type FieldPath } from '../fields/field-path.ts'
import type { DialectInput, Translation } from './dialect.ts'
import { drop, ignored, keep, move, rule, translated } from './field-rule.ts'
import type { FieldContext, FieldOutcome, FieldRules } from './field-rule.ts'
import { keyDialect } from './key-dialect.ts'
import { mappingOf, textOf } from './json-shapes.ts'
import { effortRule, modelRule } from './model-words.ts'
import { putPermission, putPermissions, readPermission } from './permission-words.ts'
import { putServer } from './server-words.ts'
import { includeRule } from './include-files.ts'
import { textList } from './text-list.ts'
import { NO_TOOL, TOOLS, giveTool, grantTools, wordOf, type ToolWord, type ToolWords } from './tool-words.ts'

const OPENCODE_TOOLS: ReadonlyMap<string, ToolWord> = new Map<string, ToolWord>([
  ['read', TOOLS.read],
  ['write', TOOLS.write],
  ['edit', TOOLS.write],
  ['patch', TOOLS.write],
  ['apply_patch', TOOLS.write],
  ['multiedit', TOOLS.write],
  ['list', TOOLS.list],
  ['glob', TOOLS.list],
  ['grep', TOOLS.search],
  ['bash', TOOLS.shell],
  ['skill', TOOLS.skill],
  ['question', TOOLS.human],
  ['task', NO_TOOL.children],
  ['webfetch', NO_TOOL.web],
  ['websearch', NO_TOOL.web],
  ['codesearch', NO_TOOL.web],
  ['todoread', NO_TOOL.todo],
  ['todowrite', NO_TOOL.todo],
  ['lsp', NO_TOOL.editor],
  ['doom_loop', { reason: 'a loop ends at `limits.maxTurns`' }],
  ['external_directory', { reason: 'file tools stay in the folder of the run' }],
  ['*', { everything: true }],
])

/** MCP tools are `server_tool` there, and a server's all are `server_*`. */
const MCP = /^(?<server>[^_*\s]+)_(?<tool>[^\s]+)$/u
const FILE = /\{file:(?<path>[^}\n]+)\}/gu

const WORDS: ToolWords = {
  product: 'opencode',
  known: OPENCODE_TOOLS,
  read: (name) => {
    const groups = MCP.exec(name)?.groups
    if (groups === undefined) return undefined
    return { server: groups['server'] ?? '', tool: groups['tool'] ?? '*' }
  },
}

const RULES: FieldRules = {
  name: keep(),
  description: keep(),
  mode: rule(
    { status: 'translated', to: 'hidden', reason: '`subagent` is hidden: only other agents call it' },
    (value, { rewriter, from }) => {
      if (value !== 'subagent') return ignored('people may run it, as they may run every agent')
      if (rewriter.get(['hidden']) === undefined) rewriter.put(['hidden'], true, from)
      return translated('hidden')
    },
  ),
  model: modelRule(() => undefined, 'names are the same: provider/name'),
  variant: effortRule(),
  reasoningEffort: effortRule(),
  temperature: keep(),
  top_p: move(['topP']),
  prompt: includeRule(FILE),
  tools: rule({ status: 'translated', to: 'tools, runtimeTools' }, putTools),
  permission: rule({ status: 'translated', to: 'permissions, toolPermission' }, putPermissionKey),
  permissions: rule({ status: 'translated', to: 'permissions' }, putRuleList),
  steps: move(['limits', 'maxTurns']),
  maxSteps: move(['limits', 'maxTurns']),
  hidden: rule({ status: 'honoured' }, (value, { rewriter, from }) => {
    if (rewriter.get(['hidden']) !== undefined) rewriter.remove(['hidden'])
    rewriter.put(['hidden'], value, from)
    return undefined
  }),
  disable: drop('an agent that should not run is left out of `agents` and of the command'),
  options: drop('settings of one provider are not passed on'),
  mcp: rule(
    { status: 'translated', to: 'mcpServers', reason: 'of an opencode.json, for each of its agents' },
    putServers,
  ),
  color: drop('it is for the panel of opencode'),
}

const ALL_OFF: NonNullable<FieldOutcome> = { status: 'translated', to: 'tools: []' }

/** `false` takes a tool away, `true` leaves it; a list allows. */
function putTools(value: Json, field: FieldContext): FieldOutcome {
  if (!isJsonObject(value)) {
    const names = textList(value, field.from)
    return names === undefined ? badTools(value, field) : grantTools(names, WORDS, field)
  }
  const isOnlyList = value['*'] === false
  if (isOnlyList) field.grant.limit()
  for (const [name, isOn] of Object.entries(value)) {
    const at = [...field.from, name]
    const outcome = name === '*' && isOn === false ? ALL_OFF : switchTool(name, isOn, { field, at })
    field.rewriter.note({ ...outcome, key: dotted(at) })
  }
  return undefined
}

function switchTool(
  name: string,
  isOn: Json,
  { field, at }: { readonly field: FieldContext; readonly at: FieldPath },
): NonNullable<FieldOutcome> {
  const word = wordOf(name, WORDS)
  if (word === undefined || ('reason' in word && !('tools' in word))) {
    return { status: 'ignored', reason: word?.reason ?? 'opencode has no tool of that name' }
  }
  if ('tools' in word) {
    if (isOn === false) field.grant.refuse(word.tools, at)
    else field.grant.allow(word.tools, at)
    return { status: 'translated', to: isOn === false ? 'left out of tools' : word.tools.join(', ') }
  }
  if ('server' in word && isOn !== false) return giveTool(word, at, field)
  return { status: 'ignored', reason: 'an agent has only the servers that it names' }
}

function badTools(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  rewriter.put(['tools'], value, from)
  return undefined
}

function putPermissionKey(value: Json, field: FieldContext): FieldOutcome {
  if (isJsonObject(value)) {
    putPermissions(value, canonicalNames, field)
    return undefined
  }
  const read = readPermission(value)
  if (read === undefined) return ignored('it is neither allow, ask nor deny')
  if (read.permission === 'deny') return putPermission({ tools: ['*'], at: field.from, ...read }, field)
  field.grant.settleAll()
  const word = read.permission === 'ask' ? 'always' : 'never'
  field.rewriter.put(['toolPermission'], word, field.from)
  return translated(`toolPermission: ${word}`)
}

/** The newer form: `{action, resource, effect}`. */
function putRuleList(value: Json, field: FieldContext): FieldOutcome {
  if (!Array.isArray(value)) return ignored('it is no list of rules')
  for (const [index, entry] of (value as readonly Json[]).entries()) {
    const at = [...field.from, index]
    const { action, resource = '*', effect } = mappingOf(entry)
    const read = readPermission({ [textOf(resource)]: effect ?? null })
    if (typeof action !== 'string' || read === undefined) continue
    const outcome = putPermission({ tools: canonicalNames(action), at, ...read }, field)
    if (outcome !== undefined) field.rewriter.note({ key: dotted(at), ...outcome })
  }
  return undefined
}

function canonicalNames(name: string): readonly string[] {
  if (name === '*') return ['*']
  if (name === 'task') return ['agent__*']
  const word = wordOf(name, WORDS)
  if (word === undefined) return []
  if ('tools' in word) return word.tools
  return 'server' in word ? [`${word.server}__${word.tool ?? '*'}`] : []
}

function putServers(value: Json, field: FieldContext): FieldOutcome {
  for (const [name, server] of Object.entries(mappingOf(value))) {
    if (mappingOf(server)['enabled'] !== false) putServer(name, server, { field, at: [...field.from, name] })
  }
  return undefined
}

/** The agents of an `opencode.json`, each with the model and the servers of the file. */
function several(card: DialectInput): readonly Translation[] | undefined {
  const { agent: agents, model, mcp } = card.fields
  if (!isJsonObject(agents)) return undefined
  return Object.entries(agents)
    .filter(([, agent]) => mappingOf(agent)['disable'] !== true)
    .map(([name, agent]) => {
      const shared = { ...(model === undefined ? {} : { model }), ...(mcp === undefined ? {} : { mcp }) }
      const fields: JsonObject = { name, ...shared, ...mappingOf(agent) }
      return { ...opencodeDialect.translate({ ...card, fields }), at: ['agent', name] }
    })
}

/** Agents of opencode: `.opencode/agents/*.md`, and the `agent` of an `opencode.json`. */
export const opencodeDialect: ReturnType<typeof keyDialect> = keyDialect({
  name: 'opencode',
  product: 'opencode',
  places: ['.opencode/agents/*.md', '.opencode/agent/*.md', 'opencode.json'],
  folder: /(?:^|\/)\.?opencode\/agents?\//u,
  ending: /(?:^|\/)opencode\.json$/u,
  rules: RULES,
  unknown: 'opencode passes such keys to the provider, which is not done here',
  tools: 'all',
  fits,
  fileKeys: [...Object.keys(RULES), 'agent', '$schema', 'dialect'],
  several,
})

/** True for keys and values that only opencode has. */
function fits({ fields, body }: DialectInput): boolean {
  const { agent, mode, tools, permission, model } = fields
  if (body === undefined) return isJsonObject(agent)
  if (typeof model === 'string' && !model.includes('/')) return false
  const isMode = mode === 'primary' || mode === 'subagent' || mode === 'all'
  const isSwitches = isJsonObject(tools) && Object.values(tools).every((value) => typeof value === 'boolean')
  return isMode || permission !== undefined || isSwitches
}
