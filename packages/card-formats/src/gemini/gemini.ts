import { isJsonObject, type Json } from '@troupe/schema'
import {
  dottedPath,
  type FieldContext,
  type FieldOutcome,
  type RawCard,
  textList,
} from '@troupe/cards/formats'
import {
  drop,
  dropWithWarning,
  ignored,
  keep,
  move,
  rule,
  type FieldRules,
  mappingOf,
} from '../rules/field-rule.ts'
import {
  GEMINI_SETTING_ROWS,
  geminiProjectFiles,
  putGeminiSettings,
  putServerTools,
} from './gemini-settings.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import { inheritedModel, modelRule } from '../rules/common-rules.ts'
import { putServer } from '../rules/server-keys.ts'
import {
  MISSING_TOOLS,
  RUNTIME_TOOLS,
  allowNamedTools,
  type ToolMapping,
  type ProductTools,
} from '../rules/tool-mapping.ts'

const NO_DEPENDENCIES = { reason: 'to-do lists have no dependencies' }
const SUBAGENT = { reason: 'it is a built-in agent of Gemini CLI' }

const GEMINI_TOOLS: ReadonlyMap<string, ToolMapping> = new Map<string, ToolMapping>([
  ['*', { everything: true }],
  ['read_file', RUNTIME_TOOLS.read],
  ['read_many_files', RUNTIME_TOOLS.read],
  ['write_file', RUNTIME_TOOLS.write],
  ['replace', RUNTIME_TOOLS.write],
  ['edit', RUNTIME_TOOLS.write],
  ['list_directory', RUNTIME_TOOLS.list],
  ['glob', RUNTIME_TOOLS.list],
  ['grep_search', RUNTIME_TOOLS.search],
  ['search_file_content', RUNTIME_TOOLS.search],
  ['run_shell_command', RUNTIME_TOOLS.shell],
  ['ask_user', RUNTIME_TOOLS.human],
  ['activate_skill', RUNTIME_TOOLS.skill],
  ['google_web_search', RUNTIME_TOOLS.webSearch],
  ['web_fetch', RUNTIME_TOOLS.webFetch],
  ['write_todos', RUNTIME_TOOLS.todoWrite],
  ['enter_plan_mode', MISSING_TOOLS.plan],
  ['exit_plan_mode', MISSING_TOOLS.plan],
  ['tracker_create_task', RUNTIME_TOOLS.todoWrite],
  ['tracker_update_task', RUNTIME_TOOLS.todoWrite],
  ['tracker_get_task', RUNTIME_TOOLS.todoRead],
  ['tracker_list_tasks', RUNTIME_TOOLS.todoRead],
  ['tracker_add_dependency', NO_DEPENDENCIES],
  ['tracker_visualize', NO_DEPENDENCIES],
  ['update_topic', { reason: 'progress is visible from tool calls' }],
  ['complete_task', { reason: 'an agent ends when it answers' }],
  ['codebase_investigator', SUBAGENT],
  ['cli_help', SUBAGENT],
  ['generalist', SUBAGENT],
  ['save_memory', RUNTIME_TOOLS.saveMemory],
  ['get_internal_docs', { reason: 'they are the docs of Gemini CLI' }],
])

/**
 * Returns the tool names of a card. The card's servers tell which part of an MCP tool name is the server; by
 * default it is the first word.
 */
export function geminiProductTools(servers: readonly string[]): ProductTools {
  return {
    product: 'Gemini CLI',
    known: GEMINI_TOOLS,
    read: (name) => {
      if (name === 'mcp_*') return { tools: ['*__*'] }
      const old = /^(?!mcp__)(?<server>[^\s*]+?)__(?<tool>\S+)$/u.exec(name)?.groups
      if (old !== undefined) return { server: old['server'] ?? '', tool: old['tool'] ?? '*' }
      if (name.startsWith('discovered_tool_')) return { reason: 'the discovery command is not run' }
      if (!name.startsWith('mcp_') || name.startsWith('mcp__')) return undefined
      const rest = name.slice('mcp_'.length)
      const own = servers
        .filter((server) => rest.startsWith(`${server}_`))
        .toSorted((a, b) => b.length - a.length)[0]
      const server = own ?? (rest.endsWith('_*') ? rest.slice(0, -2) : (rest.split('_', 1)[0] ?? rest))
      return { server, tool: rest.slice(server.length + 1) || '*' }
    },
  }
}

const REMOTE = MISSING_TOOLS.remote.reason

const RULES: FieldRules = {
  name: keep(),
  description: keep(),
  kind: rule({ status: 'ignored', reason: 'every agent is local; remote is an error' }, (value, field) => {
    if (value === 'remote')
      field.rewriter.addProblem({
        code: 'card_unsupported',
        message: `\`kind: remote\`: ${REMOTE}.`,
        at: field.from,
      })
    return undefined
  }),
  display_name: drop('an agent has one name'),
  tools: rule({ status: 'translated', to: 'tools, runtimeTools, servers' }, (value, field) => {
    const names = textList(value, field.from)
    if (names === undefined) return ignored('it is not a list of names')
    return allowNamedTools(names, geminiProductTools(serverNames(field.card)), field)
  }),
  mcpServers: rule({ status: 'translated', to: 'mcpServers' }, putServers),
  mcp_servers: rule({ status: 'translated', to: 'mcpServers' }, putServers),
  model: modelRule(inheritedModel, '`inherit` is the model of the caller'),
  temperature: keep(),
  max_turns: move(['limits', 'maxTurns'], { reason: 'default 10 turns instead of 30' }),
  timeout_mins: move(['limits', 'timeout'], {
    convert: (value) => (typeof value === 'number' ? value * 60_000 : undefined),
  }),
  policy: dropWithWarning('see `permissions`'),
  agent_card_url: rule({ status: 'ignored', problem: 'error', reason: REMOTE }, refuseRemote),
  agent_card_json: rule({ status: 'ignored', problem: 'error', reason: REMOTE }, refuseRemote),
  auth: drop('only remote agents have it'),
}

/** Rejects an agent that is remote by its address, unless `kind` has been rejected already. */
function refuseRemote(_value: Json, { rewriter, card, from }: FieldContext): FieldOutcome {
  if (card.fields['kind'] !== 'remote')
    rewriter.addProblem({
      code: 'card_unsupported',
      message: `\`${dottedPath(from)}\`: ${REMOTE}.`,
      at: from,
    })
  return undefined
}

function serverNames({ fields, project = [] }: RawCard): readonly string[] {
  const files = [fields, ...project.map((settings) => settings.fields)]
  return files.flatMap((file) =>
    ['mcpServers', 'mcp_servers'].flatMap((key) => Object.keys(mappingOf(file[key]))),
  )
}

function putServers(value: Json, field: FieldContext): FieldOutcome {
  for (const [name, server] of Object.entries(mappingOf(value))) {
    const timeout = mappingOf(server)['timeout']
    const withTimeout =
      isJsonObject(server) && timeout !== undefined ? { ...server, toolTimeout: timeout } : server
    const at = [...field.from, name]
    putServer(name, withTimeout, { field, at })
    putServerTools(name, mappingOf(server), field)
  }
  return undefined
}

/** Card format of Gemini CLI subagents (`.gemini/agents/*.md`). */
export const geminiFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'gemini',
  product: 'Gemini CLI',
  pathPatterns: ['.gemini/agents/*.md'],
  projectFolders: ['.gemini/agents'],
  folder: /(?:^|\/)(?:\.gemini|gemini-cli)\/agents\//u,
  rules: RULES,
  tools: 'all',
  asksForServers: true,
  acceptsValues,
  toleratesMissingParts: true,
  projectFiles: geminiProjectFiles,
  moreRows: GEMINI_SETTING_ROWS,
  afterKeys: (field) => {
    putGeminiSettings(geminiProductTools(serverNames(field.card)), field)
  },
})

const OWN_KEYS = ['kind', 'display_name', 'timeout_mins']

/** Returns true for keys and tools that only Gemini CLI has. */
function acceptsValues({ fields, body }: RawCard): boolean {
  if (body === undefined) return false
  if (OWN_KEYS.some((key) => Object.hasOwn(fields, key))) return true
  const names = textList(fields['tools'] ?? [], [])
  const read = geminiProductTools([])
  return (
    names !== undefined &&
    names.length > 0 &&
    names.every(({ text }) => GEMINI_TOOLS.has(text) || read.read(text) !== undefined)
  )
}
