import type { Tool } from '@modelcontextprotocol/server'
import { toWireName, withHash, type AgentDefinition, type JsonObject } from '@troupe/schema'
import { deprecationOf, describeTool } from './describe-tool.ts'
import type { ExportedTool } from './exported-tool.ts'

/** Maximum time that a poll waits, in seconds. Hosts give up on a call after a minute. */
const MAX_WAIT_SECONDS = 50
/** Default time that a poll waits, in seconds. */
export const DEFAULT_WAIT_SECONDS: number = 20

/** One of the two tools, `start` and `poll`, for a background tool. */
export interface BackgroundTool {
  readonly kind: 'start' | 'poll'
  readonly tool: ExportedTool
  readonly wireName: string
}

/** JSON Schema of the arguments of a poll. */
export const POLL_PARAMETERS: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'What the start of the call gave.' },
    wait: {
      type: 'number',
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      default: DEFAULT_WAIT_SECONDS,
      description: 'Seconds to wait for the answer.',
    },
    cancel: { type: 'boolean', description: 'Ends the call without an answer.' },
  },
  required: ['id'],
  additionalProperties: false,
}

/**
 * Returns the start and poll tools of all background tools, by wire name. Adds a hash to names that are
 * taken.
 */
export function backgroundTools(
  tools: ReadonlyMap<string, ExportedTool>,
): ReadonlyMap<string, BackgroundTool> {
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
export function describeBackgroundTool(
  { kind, tool, wireName }: BackgroundTool,
  { agent, poll }: { readonly agent: AgentDefinition; readonly poll: string },
): Tool {
  const { outputSchema: _, ...described } = describeTool(tool, agent)
  if (kind === 'start')
    return {
      ...described,
      name: wireName,
      title: `${tool.name}: start`,
      description: `${deprecationOf(tool)}Starts this and answers at once with an id, for \`${poll}\` to ask for the answer: ${tool.description}`,
    }
  return {
    ...described,
    name: wireName,
    title: `${tool.name}: poll`,
    description: `The answer of a call that was started, or that there is none yet: ${tool.description}`,
    inputSchema: POLL_PARAMETERS as Tool['inputSchema'],
  }
}
