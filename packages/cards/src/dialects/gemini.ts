import { isJsonObject, mcpToolName, type Json } from '@troupe/schema'
import { dotted } from '../fields/field-path.ts'
import { addToList } from './add-to-list.ts'
import type { DialectInput } from './dialect.ts'
import { drop, dropLoudly, ignored, keep, move, rule } from './field-rule.ts'
import type { FieldContext, FieldOutcome, FieldRules } from './field-rule.ts'
import { keyDialect } from './key-dialect.ts'
import { mappingOf } from './json-shapes.ts'
import { inheritedModel, modelRule } from './model-words.ts'
import { putServer } from './server-words.ts'
import { textList } from './text-list.ts'
import { NO_TOOL, TOOLS, grantTools, type ToolWord, type ToolWords } from './tool-words.ts'

const SUBAGENT = { reason: 'it is an agent of Gemini CLI' }

const GEMINI_TOOLS: ReadonlyMap<string, ToolWord> = new Map<string, ToolWord>([
  ['*', { everything: true }],
  ['read_file', TOOLS.read],
  ['read_many_files', TOOLS.read],
  ['write_file', TOOLS.write],
  ['replace', TOOLS.write],
  ['edit', TOOLS.write],
  ['list_directory', TOOLS.list],
  ['glob', TOOLS.list],
  ['grep_search', TOOLS.search],
  ['search_file_content', TOOLS.search],
  ['run_shell_command', TOOLS.shell],
  ['ask_user', TOOLS.human],
  ['activate_skill', TOOLS.skill],
  ['google_web_search', NO_TOOL.web],
  ['web_fetch', NO_TOOL.web],
  ['write_todos', NO_TOOL.todo],
  ['enter_plan_mode', NO_TOOL.plan],
  ['exit_plan_mode', NO_TOOL.plan],
  ['tracker_create_task', NO_TOOL.todo],
  ['tracker_update_task', NO_TOOL.todo],
  ['tracker_get_task', NO_TOOL.todo],
  ['tracker_list_tasks', NO_TOOL.todo],
  ['tracker_add_dependency', NO_TOOL.todo],
  ['tracker_visualize', NO_TOOL.todo],
  ['update_topic', { reason: 'what an agent is at is seen from its calls' }],
  ['complete_task', { reason: 'an agent ends with its answer' }],
  ['codebase_investigator', SUBAGENT],
  ['cli_help', SUBAGENT],
  ['generalist', SUBAGENT],
  ['save_memory', NO_TOOL.memory],
  ['get_internal_docs', { reason: 'they are the pages of Gemini CLI' }],
])

/**
 * Returns the tool names of a card. The card's servers tell which part of an MCP tool name is the server; by
 * default it is the first word.
 */
function words(servers: readonly string[]): ToolWords {
  return {
    product: 'Gemini CLI',
    known: GEMINI_TOOLS,
    read: (name) => {
      if (name === 'mcp_*') return { tools: ['*__*'] }
      const old = /^(?!mcp__)(?<server>[^\s*]+?)__(?<tool>\S+)$/u.exec(name)?.groups
      if (old !== undefined) return { server: old['server'] ?? '', tool: old['tool'] ?? '*' }
      if (name.startsWith('discovered_tool_')) return { reason: 'the command that finds it is not run' }
      if (!name.startsWith('mcp_') || name.startsWith('mcp__')) return undefined
      const rest = name.slice('mcp_'.length)
      const own = servers.find((server) => rest.startsWith(`${server}_`))
      const server = own ?? (rest.endsWith('_*') ? rest.slice(0, -2) : (rest.split('_', 1)[0] ?? rest))
      return { server, tool: rest.slice(server.length + 1) || '*' }
    },
  }
}

const REMOTE = NO_TOOL.remote.reason

const RULES: FieldRules = {
  name: keep(),
  description: keep(),
  kind: rule(
    { status: 'ignored', reason: 'local is what every agent is; remote is an error' },
    (value, field) => {
      if (value === 'remote')
        field.rewriter.tell({
          code: 'card_unsupported',
          message: `\`kind: remote\`: ${REMOTE}.`,
          at: field.from,
        })
      return undefined
    },
  ),
  display_name: drop('an agent has one name'),
  tools: rule({ status: 'translated', to: 'tools, runtimeTools, servers' }, (value, field) => {
    const names = textList(value, field.from)
    if (names === undefined) return ignored('it is no list of names')
    return grantTools(names, words(serverNames(field.card)), field)
  }),
  mcpServers: rule({ status: 'translated', to: 'mcpServers' }, putServers),
  mcp_servers: rule({ status: 'translated', to: 'mcpServers' }, putServers),
  model: modelRule(inheritedModel, 'inherit is the default model'),
  temperature: keep(),
  max_turns: move(['limits', 'maxTurns'], { reason: 'without it 10 turns; there it is 30' }),
  timeout_mins: move(['limits', 'timeout'], {
    convert: (value) => (typeof value === 'number' ? value * 60_000 : undefined),
  }),
  policy: dropLoudly('see `permissions`'),
  agent_card_url: rule({ status: 'ignored', reason: REMOTE }, refuseRemote),
  agent_card_json: rule({ status: 'ignored', reason: REMOTE }, refuseRemote),
  auth: drop(REMOTE),
}

/** Rejects an agent that is remote by its address, unless `kind` has been rejected already. */
function refuseRemote(_value: Json, { rewriter, card, from }: FieldContext): FieldOutcome {
  if (card.fields['kind'] !== 'remote')
    rewriter.tell({ code: 'card_unsupported', message: `\`${dotted(from)}\`: ${REMOTE}.`, at: from })
  return undefined
}

function serverNames({ fields }: DialectInput): readonly string[] {
  return ['mcpServers', 'mcp_servers'].flatMap((key) => Object.keys(mappingOf(fields[key])))
}

function putServers(value: Json, field: FieldContext): FieldOutcome {
  for (const [name, server] of Object.entries(mappingOf(value))) {
    const timeout = mappingOf(server)['timeout']
    const withTimeout =
      isJsonObject(server) && timeout !== undefined ? { ...server, toolTimeout: timeout } : server
    const at = [...field.from, name]
    putServer(name, withTimeout, { field, at })
    const { includeTools, excludeTools } = mappingOf(server)
    const included = textList(includeTools ?? '', at) ?? []
    if (included.length > 0)
      field.grant.limitServer(
        name,
        included.map(({ text }) => text.replace(/\(.*\)$/u, '')),
      )
    const excluded = (textList(excludeTools ?? '', at) ?? []).map(({ text }) => mcpToolName(name, text))
    addToList(field.rewriter, { to: ['permissions', 'deny'], values: excluded, from: at })
  }
  return undefined
}

/** Card format of Gemini CLI subagents (`.gemini/agents/*.md`). */
export const geminiDialect: ReturnType<typeof keyDialect> = keyDialect({
  name: 'gemini',
  product: 'Gemini CLI',
  places: ['.gemini/agents/*.md'],
  folder: /(?:^|\/)(?:\.gemini|gemini-cli)\/agents\//u,
  rules: RULES,
  tools: 'all',
  fits,
})

const OWN_KEYS = ['kind', 'display_name', 'timeout_mins']

/** Returns true for keys and tools that only Gemini CLI has. */
function fits({ fields, body }: DialectInput): boolean {
  if (body === undefined) return false
  if (OWN_KEYS.some((key) => Object.hasOwn(fields, key))) return true
  const names = textList(fields['tools'] ?? [], [])
  const read = words([])
  return (
    names !== undefined &&
    names.length > 0 &&
    names.every(({ text }) => GEMINI_TOOLS.has(text) || read.read(text) !== undefined)
  )
}
