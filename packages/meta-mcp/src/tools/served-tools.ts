import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server'
import { toWireName, type AgentDefinition, type JsonObject } from '@troupe/schema'
import { withHash } from '@troupe/schema/text'
import { readExportedTools, type ExportedTool } from './exported-tool.ts'

/** A tool as listed for clients: to call it, to start it in the background, or to poll for its answer. */
export interface CallableTool {
  readonly kind: 'call' | 'start' | 'poll'
  readonly tool: ExportedTool
  readonly wireName: string
}

/** Tools offered by one version of an agent. */
interface ServedTools {
  readonly agent: AgentDefinition
  /** Exported tools in the order of the card. */
  readonly tools: readonly ExportedTool[]
  /**
   * Everything a client can call, by wire name: the tools, and the start and poll tools of background tools.
   */
  readonly offered: ReadonlyMap<string, CallableTool>
  /** MCP listing. */
  readonly listed: readonly Tool[]
}

/**
 * Reads and validates the exported tools of an agent. Throws `exports_no_tools`, `tool_name_conflict` or
 * `export_need_unmet`.
 */
export function readServedTools(agent: AgentDefinition): ServedTools {
  const tools = readExportedTools(agent)
  const called = Array.from(
    tools,
    ([wireName, tool]) => [wireName, { kind: 'call', tool, wireName }] as const,
  )
  const offered = new Map<string, CallableTool>([...called, ...backgroundTools(tools)])
  const listed = [...offered.values()].map((each) => describe(each, { agent, offered }))
  return { agent, tools: [...tools.values()], offered, listed }
}

function describe(
  { kind, tool, wireName }: CallableTool,
  {
    agent,
    offered,
  }: { readonly agent: AgentDefinition; readonly offered: ReadonlyMap<string, CallableTool> },
): Tool {
  if (kind === 'call') return describeTool(tool, agent)
  const poll = Array.from(offered.values()).find((other) => other.kind === 'poll' && other.tool === tool)
  return describeBackgroundTool({ kind, tool, wireName }, { agent, poll: poll?.wireName ?? '' })
}

/** Maximum time that a poll waits, in seconds. Hosts give up on a call after a minute. */
const MAX_WAIT_SECONDS = 50
/** Default time that a poll waits, in seconds. */
export const DEFAULT_WAIT_SECONDS: number = 20

/** One of the two tools, `start` and `poll`, for a background tool. */
interface BackgroundTool {
  readonly kind: 'start' | 'poll'
  readonly tool: ExportedTool
  readonly wireName: string
}

/** JSON Schema of the arguments of a poll. */
export const POLL_PARAMETERS: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'The id that the start tool returned.' },
    wait: {
      type: 'number',
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      default: DEFAULT_WAIT_SECONDS,
      description: 'Seconds to wait for the answer.',
    },
    cancel: { type: 'boolean', description: 'Cancels the call.' },
  },
  required: ['id'],
  additionalProperties: false,
}

/**
 * Returns the start and poll tools of all background tools, by wire name. Adds a hash to names that are
 * taken.
 */
function backgroundTools(tools: ReadonlyMap<string, ExportedTool>): ReadonlyMap<string, BackgroundTool> {
  const found = new Map<string, BackgroundTool>()
  for (const tool of tools.values()) {
    if (tool.background !== true) continue
    for (const kind of ['start', 'poll'] as const) {
      const full = `${tool.wireName}_${kind}`
      const clean = toWireName(full)
      const wireName = tools.has(clean) || found.has(clean) ? withHash(clean, full) : clean
      found.set(wireName, { kind, tool, wireName })
    }
  }
  return found
}

/** Returns the MCP listing of a start or poll tool. */
function describeBackgroundTool(
  { kind, tool, wireName }: BackgroundTool,
  { agent, poll }: { readonly agent: AgentDefinition; readonly poll: string },
): Tool {
  const { outputSchema: _, ...described } = describeTool(tool, agent)
  if (kind === 'start')
    return {
      ...described,
      name: wireName,
      title: `${tool.name}: start`,
      description: `${deprecationOf(tool)}Starts the tool in the background and returns an id at once. Call \`${poll}\` with this id to get the answer. The tool: ${tool.description}`,
    }
  return {
    ...described,
    name: wireName,
    title: `${tool.name}: poll`,
    description: `Returns the answer of a call that was started, or reports that there is none yet. The tool: ${tool.description}`,
    inputSchema: POLL_PARAMETERS as Tool['inputSchema'],
  }
}

/** Returns the MCP listing of a tool, with the card's name, description and schemas. */
function describeTool(tool: ExportedTool, agent: AgentDefinition): Tool {
  const { schema } = agent.output
  const { version, needs, deprecated } = tool
  return {
    name: tool.wireName,
    title: tool.name,
    description: `${deprecationOf(tool)}${tool.description}`,
    inputSchema: tool.parameters as Tool['inputSchema'],
    ...(schema === undefined ? {} : { outputSchema: schema }),
    annotations: annotationsOf(agent),
    _meta: {
      version,
      ...(needs.length === 0 ? {} : { needs: needs.map(({ wireName }) => wireName) }),
      ...(deprecated === undefined ? {} : { deprecated }),
    },
  }
}

/** Returns a deprecation note for the description, because MCP has no field for it. */
function deprecationOf({ deprecated = false }: Pick<ExportedTool, 'deprecated'>): string {
  if (deprecated === false) return ''
  return deprecated === true ? 'Deprecated. ' : `Deprecated: ${deprecated} `
}

/**
 * Returns read-only annotations for an agent without tools and sub-agents. Otherwise the effects depend on
 * its model, so the conservative defaults of MCP apply.
 */
function annotationsOf(agent: AgentDefinition): ToolAnnotations {
  const hands = [
    agent.agents,
    agent.servers,
    agent.functionTools,
    agent.runtimeTools,
    Object.keys(agent.mcpServers),
    Object.keys(agent.composition),
  ]
  const isAlone = agent.type === 'agent' && hands.every((list) => list.length === 0)
  return isAlone ? { readOnlyHint: true, openWorldHint: false } : { openWorldHint: true }
}
