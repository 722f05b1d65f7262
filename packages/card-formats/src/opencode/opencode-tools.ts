import { type RawCard } from '@troupe/cards/formats'
import {
  MISSING_TOOLS,
  RUNTIME_TOOLS,
  lookupTool,
  type ToolMapping,
  type ProductTools,
} from '../rules/tool-mapping.ts'
import { opencodeServers } from './opencode-servers.ts'

const OPENCODE_TOOLS: ReadonlyMap<string, ToolMapping> = new Map<string, ToolMapping>([
  ['read', RUNTIME_TOOLS.read],
  ['write', RUNTIME_TOOLS.write],
  ['edit', RUNTIME_TOOLS.write],
  ['patch', RUNTIME_TOOLS.write],
  ['apply_patch', RUNTIME_TOOLS.write],
  ['multiedit', RUNTIME_TOOLS.write],
  ['list', RUNTIME_TOOLS.list],
  ['glob', RUNTIME_TOOLS.list],
  ['grep', RUNTIME_TOOLS.search],
  ['bash', RUNTIME_TOOLS.shell],
  ['skill', RUNTIME_TOOLS.skill],
  ['question', RUNTIME_TOOLS.human],
  ['task', MISSING_TOOLS.children],
  ['webfetch', MISSING_TOOLS.web],
  ['websearch', MISSING_TOOLS.web],
  ['codesearch', MISSING_TOOLS.web],
  ['todoread', MISSING_TOOLS.todo],
  ['todowrite', MISSING_TOOLS.todo],
  ['lsp', MISSING_TOOLS.editor],
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
export function opencodeProductTools({ fields }: RawCard): ProductTools {
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
export function opencodeToolNames(name: string, card: RawCard): readonly string[] {
  if (name === '*') return ['*']
  if (name === 'task') return ['agent__*']
  const word = lookupTool(name, opencodeProductTools(card))
  if (word === undefined) return []
  if ('tools' in word) return word.tools
  return 'server' in word ? [`${word.server}__${word.tool ?? '*'}`] : []
}
