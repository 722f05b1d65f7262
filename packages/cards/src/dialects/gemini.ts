import { isJsonObject, type Json } from '@troupe/schema'
import type { DialectInput } from './dialect.ts'
import { drop, ignored, keep, move, rule } from './field-rule.ts'
import type { FieldContext, FieldOutcome, FieldRules } from './field-rule.ts'
import { keyDialect } from './key-dialect.ts'
import { mappingOf } from './json-shapes.ts'
import { inheritedModel, modelRule } from './model-words.ts'
import { putServer } from './server-words.ts'
import { textList } from './text-list.ts'
import { NO_TOOL, TOOLS, grantTools, type ToolWord, type ToolWords } from './tool-words.ts'

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
  ['save_memory', { reason: 'agents keep nothing between runs' }],
  ['get_internal_docs', { reason: 'they are the pages of Gemini CLI' }],
])

/** The tools of a card; which part of an MCP name is the server is known from the servers of the card, else it is the first word. */
function words(servers: readonly string[]): ToolWords {
  return {
    product: 'Gemini CLI',
    known: GEMINI_TOOLS,
    read: (name) => {
      if (name === 'mcp_*') return { tools: ['*__*'] }
      const old = /^(?!mcp__)(?<server>[^\s*]+?)__(?<tool>\S+)$/u.exec(name)?.groups
      if (old !== undefined) return { server: old['server'] ?? '', tool: old['tool'] ?? '*' }
      if (!name.startsWith('mcp_')) return undefined
      const rest = name.slice('mcp_'.length)
      const own = servers.find((server) => rest.startsWith(`${server}_`))
      const server = own ?? (rest.endsWith('_*') ? rest.slice(0, -2) : (rest.split('_', 1)[0] ?? rest))
      return { server, tool: rest.slice(server.length + 1) || '*' }
    },
  }
}

const RULES: FieldRules = {
  name: keep(),
  description: keep(),
  kind: rule(
    { status: 'ignored', reason: 'local is what every agent is; remote is an error' },
    (value, field) => {
      if (value === 'remote')
        field.rewriter.tell({
          code: 'card_unsupported',
          message: '`kind: remote`: agents that run elsewhere (A2A) cannot be called by this version.',
          at: field.from,
        })
      return undefined
    },
  ),
  display_name: drop('an agent has one name'),
  tools: rule({ status: 'translated', to: 'tools, runtimeTools, servers' }, (value, field) => {
    const names = textList(value, field.from)
    if (names === undefined) return ignored('it is no list of names')
    return grantTools(names, words(Object.keys(mappingOf(field.card.fields['mcpServers']))), field)
  }),
  mcpServers: rule({ status: 'translated', to: 'mcpServers' }, putServers),
  mcp_servers: rule({ status: 'translated', to: 'mcpServers' }, putServers),
  model: modelRule(inheritedModel, 'inherit is the default model'),
  temperature: keep(),
  max_turns: move(['limits', 'maxTurns'], { reason: 'without it 10 turns; there it is 30' }),
  timeout_mins: move(['limits', 'timeout'], {
    convert: (value) => (typeof value === 'number' ? value * 60_000 : undefined),
  }),
  agent_card_url: drop('agents that run elsewhere (A2A) cannot be called by this version'),
  agent_card_json: drop('agents that run elsewhere (A2A) cannot be called by this version'),
  auth: drop('agents that run elsewhere (A2A) cannot be called by this version'),
}

function putServers(value: Json, field: FieldContext): FieldOutcome {
  for (const [name, server] of Object.entries(mappingOf(value))) {
    const timeout = mappingOf(server)['timeout']
    const withTimeout =
      isJsonObject(server) && timeout !== undefined ? { ...server, toolTimeout: timeout } : server
    putServer(name, withTimeout, { field, at: [...field.from, name] })
  }
  return undefined
}

/** Subagents of Gemini CLI: `.gemini/agents/*.md`. */
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

/** True for keys and tools that only Gemini CLI has. */
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
