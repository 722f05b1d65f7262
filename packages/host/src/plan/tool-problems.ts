import { hookReach } from '@troupe/hooks'
import { parseModelId, toolRefusals, toolSchema } from '@troupe/models'
import { mcpToolName, type AgentDefinition, type ToolDefinition } from '@troupe/schema'
import { relaxationText } from '@troupe/json-schema'
import type { CheckedAgent } from '../check/check-agent.ts'
import { planWarning, suggestionText, type PlanProblem } from '../config/plan-problem.ts'
import { effectivePermission } from '../tools/effective-permission.ts'
import { filterAgentTools, isNamedInCard } from '../tools/assemble-tools.ts'

/** Warns about tools that a provider of the agent's models refuses, or gets with a simplified schema. */
export function toolSchemaProblems(
  { name, model, source }: AgentDefinition,
  tools: readonly ToolDefinition[],
): readonly PlanProblem[] {
  if (tools.length === 0) return []
  const providers = new Set(model.flatMap((id) => parseModelId(id).provider ?? []))
  const at = { agent: name, file: source.path }
  return [...providers].flatMap((provider) =>
    tools.flatMap((tool) => [
      ...toolRefusals(provider, tool).map((why) =>
        planWarning('tool_schema_refused', `${provider} rejects the tool ${tool.name}: ${why}.`, at),
      ),
      ...toolSchema(provider, tool.inputSchema).relaxations.map((what) =>
        planWarning(
          'tool_schema_simplified',
          `${provider} receives the tool ${tool.name} without ${relaxationText(what)}.`,
          at,
        ),
      ),
    ]),
  )
}

const MAX_NAMES = 12

/**
 * Warns about globs under `tools` of a stock hook that match no tool of the agent, so the intended tools are
 * left unguarded. Globs that a tool of an MCP server could match are skipped until the servers have been
 * inspected.
 */
export function unmatchedHookProblems(
  { member, parts }: CheckedAgent,
  { tools, unlisted }: KnownTools,
): readonly PlanProblem[] {
  const { definition, card } = member
  if (parts.hooks.length === 0) return []
  // If a hook failed to load, the indexes no longer match, and the agent cannot run anyway.
  if (definition.type !== 'agent' || parts.hooks.length !== definition.toolHooks.length) return []
  const names = tools.map((tool) => tool.name)
  const prefixes = unlisted.map((server) => mcpToolName(server, ''))
  return parts.hooks.flatMap((hook, index) => {
    const reach = hookReach(hook)
    return (reach?.globs ?? []).flatMap(({ glob, matches }, at) => {
      if (names.some(matches) || prefixes.some((prefix) => mayMatchPrefix(glob, prefix))) return []
      const path = ['toolHooks', index, 'tools', at]
      return [
        planWarning('hook_concerns_nothing', messageOf({ path, glob, agent: definition.name }, names), {
          file: card.path,
          ...card.positionOf?.(path),
          agent: definition.name,
        }),
      ]
    })
  })
}

function messageOf(
  {
    path,
    glob,
    agent,
  }: { readonly path: readonly (string | number)[]; readonly glob: string; readonly agent: string },
  names: readonly string[],
): string {
  const hint = suggestionText(glob.replaceAll('*', ''), names)
  const more = names.length > MAX_NAMES ? ', …' : ''
  const known = names.slice(0, MAX_NAMES).join(', ') + more
  return `${path.join('.')}: "${glob}" matches no tool of ${agent}${hint} Its tools: ${known || 'none'}.`
}

/**
 * Warns if an agent serves exported tools but all of its own tools need approval, so none are available
 * there. Skipped while the tools of MCP servers are unknown.
 */
export function headlessToolProblems(
  { member }: CheckedAgent,
  { tools, unlisted }: KnownTools,
): readonly PlanProblem[] {
  const { definition, card } = member
  if (definition.exports.tools.length === 0 || unlisted.length > 0) return []
  const permission = effectivePermission(definition, [])
  if (tools.length === 0 || tools.some((tool) => permission.ofTool(tool) === 'allow')) return []
  const names = tools.map(({ name }) => name).join(', ')
  const message = `${definition.name} has no tools when its exported tools are called: each of its tools requires approval, and those runs cannot ask for it. Removed: ${names}.`
  return [planWarning('headless_no_tools', message, { file: card.path, agent: definition.name })]
}

const GLOB = /[*?[\]{}()!+@|\\]/u

/** The tools of an agent known when planning. */
export interface KnownTools {
  readonly tools: readonly ToolDefinition[]
  /** Names of the MCP servers whose tools are not included, because they were not connected. */
  readonly unlisted: readonly string[]
}

/** Returns `inspected` if the MCP servers were inspected, else the tools that the agent has without them. */
export function knownTools(
  { member, parts, servers }: Pick<CheckedAgent, 'member' | 'parts' | 'servers'>,
  inspected: KnownTools | undefined,
): KnownTools {
  if (inspected !== undefined) return inspected
  const own = parts.tools.map(({ tool }) => tool)
  // Most agents have nothing to filter, and glob matching is slow.
  const tools = own.every(isNamedInCard) ? own : filterAgentTools(own, member.definition).tools
  return { tools, unlisted: servers.map(({ name }) => name) }
}

/** Returns true if a glob may match a name with this prefix, such as a tool of an MCP server that has not listed its tools. */
export function mayMatchPrefix(glob: string, prefix: string): boolean {
  const special = glob.search(GLOB)
  if (special === -1) return glob.startsWith(prefix)
  const literal = glob.slice(0, special)
  return literal.startsWith(prefix) || prefix.startsWith(literal)
}

/** A checked agent with its known tools. */
export interface KnownAgent {
  readonly agent: CheckedAgent
  readonly known: KnownTools
}
