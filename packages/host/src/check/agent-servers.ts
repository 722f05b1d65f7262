import { closest, getOwn, type AgentDefinition, type McpServerConfig } from '@troupe/schema'
import type { TeamCard } from '../team/card-pool.ts'
import type { LoadedConfig } from '../config/read-config.ts'
import { planError, planWarning } from '../plan/plan-problem.ts'
import { runsWithoutParts } from './runs-without-parts.ts'
import type { PlanProblem } from '../plan/plan-types.ts'

/** One MCP server of an agent, as written. */
export interface AgentServer {
  readonly name: string
  readonly config: McpServerConfig
  /** Relative paths in the definition resolve against it. */
  readonly folder: string
  /** The address of the remote card that defines it: it shares no connection and no login with other cards. */
  readonly address?: string
}

/** The servers of an agent and what is wrong with its list. */
export interface AgentServers {
  readonly servers: readonly AgentServer[]
  readonly problems: readonly PlanProblem[]
}

/** The MCP servers of an agent: those it names, from its own card or the configuration, and those it defines itself. */
export function agentServers(
  definition: Pick<AgentDefinition, 'servers' | 'mcpServers' | 'tools'>,
  places: {
    readonly config: LoadedConfig
    readonly folder: string
    readonly positionOf?: TeamCard['positionOf']
    readonly dialect?: TeamCard['dialect']
    readonly address?: TeamCard['address']
  },
): AgentServers {
  const { config, folder, address } = places
  const shared = config.config.mcpServers ?? {}
  const names = [...new Set([...definition.servers, ...Object.keys(definition.mcpServers)])]
  const servers: AgentServer[] = []
  const problems: PlanProblem[] = []
  for (const name of names) {
    const own = getOwn(definition.mcpServers, name)
    const server = own ?? getOwn(shared, name)
    if (server === undefined) {
      // a configuration that cannot be read is the problem, not each server in it
      if (config.problems.some(({ severity }) => severity === 'error')) continue
      const known = [...Object.keys(definition.mcpServers), ...Object.keys(shared)]
      const place = places.positionOf?.(['servers', definition.servers.indexOf(name)])
      problems.push({ ...unknownServer(name, { known, dialect: places.dialect }), ...place })
    } else if (server.disabled === true) problems.push(disabledServer(name))
    else {
      if (own === undefined) servers.push({ name, config: server, folder: config.folder })
      else servers.push({ name, config: server, folder, ...(address === undefined ? {} : { address }) })
      const place = own === undefined ? {} : places.positionOf?.(['mcpServers', name, 'command'])
      problems.push(...commandProblems(name, server).map((problem) => ({ ...problem, ...place })))
    }
    if (own !== undefined && Object.hasOwn(shared, name)) problems.push(shadowedServer(name, config))
  }
  problems.push(...strayFilters(definition.tools.servers ?? {}, names))
  return { servers, problems }
}

/** An error, but for cards of products that run an agent without the servers that are not there. */
function unknownServer(
  name: string,
  { known, dialect }: { readonly known: readonly string[]; readonly dialect: string | undefined },
): PlanProblem {
  const meant = closest(name, known)
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`
  const message = `servers: there is no MCP server "${name}"${hint || '.'} Defined: ${known.join(', ') || 'none'}.`
  return runsWithoutParts(dialect)
    ? planWarning('mcp_unknown_server', `${message} The agent goes without it.`)
    : planError('mcp_unknown_server', message)
}

function disabledServer(name: string): PlanProblem {
  return planWarning(
    'mcp_unknown_server',
    `servers: the MCP server "${name}" is disabled, so its tools are left out.`,
    { fix: 'Remove `disabled` from its definition.' },
  )
}

function shadowedServer(name: string, { file = 'the configuration' }: LoadedConfig): PlanProblem {
  return planWarning(
    'name_shadowed',
    `mcpServers: the server "${name}" of the card is used in place of the one in ${file}.`,
  )
}

const VARIABLE = /\$\{[^}]*\}/gu
/** A program and further words. The program has no path, so that what follows is no part of its name. */
const COMMAND_LINE = /^(?<program>[^\s/\\]{1,60})\s+\S/u

/** Warns of a `command` that holds arguments too: it would be looked for as a program of that whole name. Variables may hold spaces. */
function commandProblems(name: string, { command = '' }: McpServerConfig): readonly PlanProblem[] {
  const program = COMMAND_LINE.exec(
    command.replaceAll(VARIABLE, (variable) => variable.replaceAll(/[\s/\\]/gu, '_')),
  )?.groups?.['program']
  if (program === undefined) return []
  const message = `mcpServers: the \`command\` of "${name}" is a whole command line, and it is started as the name of one program.`
  const fix = `Write \`command: ${program}\`, and each further word as an entry of \`args\`.`
  return [planWarning('mcp_command_line', message, { fix })]
}

/** A filter for a server that the agent does not have filters nothing: most likely a misspelt name. */
function strayFilters(
  filters: Readonly<Record<string, unknown>>,
  names: readonly string[],
): readonly PlanProblem[] {
  return Object.keys(filters)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const meant = closest(name, names)
      const hint = meant === undefined ? '.' : `; did you mean "${meant}"?`
      return planWarning(
        'mcp_unknown_server',
        `tools: the agent has no MCP server "${name}", so this filter does nothing${hint}`,
        { fix: 'Name the server in `servers`, or remove the filter.' },
      )
    })
}
