import { getOwn, type AgentDefinition, type McpServerConfig } from '@troupe/schema'
import { closest } from '@troupe/schema/text'
import type { TeamCard } from '../cards/card-pool.ts'
import { planError, planWarning, suggestionText, type PlanProblem } from '../config/plan-problem.ts'
import type { LoadedConfig } from '../config/read-config.ts'

/** An MCP server of an agent, with variables not expanded. */
export interface AgentServer {
  readonly name: string
  readonly config: McpServerConfig
  /** Folder against which relative paths in `config` resolve. */
  readonly folder: string
  /**
   * Address of the remote card that defines the server. Such a server shares no connection or login with
   * other cards.
   */
  readonly address?: string
}

/** The MCP servers of an agent and the problems found. */
interface AgentServers {
  readonly servers: readonly AgentServer[]
  readonly problems: readonly PlanProblem[]
}

/**
 * Resolves the MCP servers of an agent: those it names, in its card or the configuration, and those it
 * defines.
 */
export function agentServers(
  definition: Pick<AgentDefinition, 'servers' | 'mcpServers' | 'tools'>,
  context: {
    readonly config: LoadedConfig
    readonly folder: string
    readonly positionOf?: TeamCard['positionOf']
    readonly toleratesMissingParts?: boolean | undefined
    readonly address?: TeamCard['address']
  },
): AgentServers {
  const { config, folder, address } = context
  const shared = config.config.mcpServers ?? {}
  const names = [...new Set([...definition.servers, ...Object.keys(definition.mcpServers)])]
  const known = [...Object.keys(definition.mcpServers), ...Object.keys(shared)]
  const servers: AgentServer[] = []
  const problems: PlanProblem[] = []
  for (const name of names) {
    const own = getOwn(definition.mcpServers, name)
    const server = own ?? getOwn(shared, name)
    if (server === undefined) {
      // The unreadable configuration is already reported.
      if (config.problems.some(({ severity }) => severity === 'error')) continue
      const position = context.positionOf?.(['servers', definition.servers.indexOf(name)])
      problems.push({ ...unknownServer(name, known, context), ...position })
    } else if (server.disabled === true) problems.push(disabledServer(name))
    else {
      if (own === undefined) servers.push({ name, config: server, folder: config.folder })
      else servers.push({ name, config: server, folder, ...(address === undefined ? {} : { address }) })
      const position = own === undefined ? {} : context.positionOf?.(['mcpServers', name, 'command'])
      problems.push(...commandProblems(name, server).map((problem) => ({ ...problem, ...position })))
    }
    if (own !== undefined && Object.hasOwn(shared, name)) problems.push(shadowedServer(name, config))
  }
  // A misspelt server is reported above, not again by the filter with its right name.
  const meant = names.map((name) => (known.includes(name) ? name : (closest(name, known) ?? name)))
  const filters = Object.keys(definition.tools.servers ?? {}).filter((name) => !names.includes(name))
  for (const name of filters.filter((filter) => !meant.includes(filter)))
    problems.push({ ...unknownFilter(name, meant), ...context.positionOf?.(['tools', name]) })
  return { servers, problems }
}

/** Returns an error, or a warning for cards of products that run an agent without its missing servers. */
function unknownServer(
  name: string,
  known: readonly string[],
  { toleratesMissingParts = false }: { readonly toleratesMissingParts?: boolean | undefined },
): PlanProblem {
  const suggestion = closest(name, known)
  const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`
  const message = `servers: there is no MCP server "${name}"${hint || '.'} Defined: ${known.join(', ') || 'none'}.`
  return toleratesMissingParts
    ? planWarning('mcp_unknown_server', `${message} The agent runs without it.`)
    : planError('mcp_unknown_server', message)
}

function disabledServer(name: string): PlanProblem {
  return planWarning(
    'mcp_unknown_server',
    `servers: the MCP server "${name}" is disabled, so the agent does not get its tools.`,
    { fix: 'Remove `disabled` from its definition.' },
  )
}

function shadowedServer(name: string, { file = 'the configuration' }: LoadedConfig): PlanProblem {
  return planWarning('name_shadowed', `mcpServers: the card's server "${name}" replaces the one in ${file}.`)
}

const VARIABLE = /\$\{[^}]*\}/gu
/** A program name followed by more words. A path is excluded, because it may contain spaces. */
const COMMAND_LINE = /^(?<program>[^\s/\\]{1,60})\s+\S/u

/**
 * Warns about a `command` that includes arguments, since the whole text would be used as the program name.
 * Spaces inside variables are ignored.
 */
function commandProblems(name: string, { command = '' }: McpServerConfig): readonly PlanProblem[] {
  const program = COMMAND_LINE.exec(
    command.replaceAll(VARIABLE, (variable) => variable.replaceAll(/[\s/\\]/gu, '_')),
  )?.groups?.['program']
  if (program === undefined) return []
  const message = `mcpServers: the \`command\` of "${name}" contains arguments, but it is run as the name of a program.`
  const fix = `Write \`command: ${program}\`, and each other word as an entry of \`args\`.`
  return [planWarning('mcp_command_line', message, { fix })]
}

/** Returns a warning about a filter for a server that the agent does not have, most likely misspelt. */
function unknownFilter(name: string, servers: readonly string[]): PlanProblem {
  return planWarning(
    'mcp_unknown_server',
    `tools: the agent has no MCP server "${name}", so this filter has no effect${suggestionText(name, servers)}`,
    { fix: 'Name the server in `servers`, or remove the filter.' },
  )
}
