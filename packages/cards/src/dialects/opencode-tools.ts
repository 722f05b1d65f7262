import { NO_TOOL, TOOLS, wordOf, type ToolWord, type ToolWords } from './tool-words.ts'
import type { DialectInput } from './dialect.ts'
import { opencodeServers } from './opencode-servers.ts'

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

/** MCP tools are named `server_tool`, and all tools of a server `server_*` or `server*`. */
const MCP = /^(?<server>[^_*\s]+)(?:_(?<tool>\S+)|\*)$/u

/**
 * Returns the tool names of a card. The card's servers tell which part of an MCP tool name is the server; by
 * default it is the first word.
 */
export function opencodeWords({ fields }: DialectInput): ToolWords {
  const servers = Object.keys(opencodeServers(fields['mcp']))
  return {
    product: 'opencode',
    known: OPENCODE_TOOLS,
    read: (name) => {
      const own = servers.find((server) => name.startsWith(`${legalName(server)}_`) || name === `${server}*`)
      if (own !== undefined) return { server: own, tool: name.slice(own.length + 1) || '*' }
      const groups = name.startsWith('mcp__') ? undefined : MCP.exec(name)?.groups
      return groups && { server: groups['server'] ?? '', tool: groups['tool'] ?? '*' }
    },
  }
}

/** Converts a server name to the prefix of its tool names. */
function legalName(server: string): string {
  return server.replaceAll(/[^\w-]/gu, '_')
}

/** Returns the canonical names of the tools that a rule names; empty if there is no such tool. */
export function opencodeToolNames(name: string, card: DialectInput): readonly string[] {
  if (name === '*') return ['*']
  if (name === 'task') return ['agent__*']
  const word = wordOf(name, opencodeWords(card))
  if (word === undefined) return []
  if ('tools' in word) return word.tools
  return 'server' in word ? [`${word.server}__${word.tool ?? '*'}`] : []
}
