import type { AgentDefinition, JsonObject, ToolDefinition, WriteTarget } from '@troupe/schema'
import { filterAgentTools } from '../tools/assemble-tools.ts'
import { effectivePermission } from '../tools/effective-permission.ts'
import type { LoadedTeam } from './load-team.ts'

/** A call that waits for a decision. */
export interface PendingWrite {
  /** Name of the agent that calls the tool. */
  readonly agent: string
  readonly toolName: string
  readonly args: JsonObject
}

/**
 * Reads the file that a call of `filesystem.write` would change. Its content is hidden if the agent could not read
 * it without approval. Returns `undefined` for other calls.
 */
export async function findWriteTarget(
  { agent, toolName, args }: PendingWrite,
  { agents, runtime, redactor }: Pick<LoadedTeam, 'agents' | 'runtime' | 'redactor'>,
): Promise<WriteTarget | undefined> {
  const { path } = args
  const definition = agents.get(agent)?.member.definition
  if (toolName !== 'filesystem.write' || typeof path !== 'string' || definition === undefined)
    return undefined
  const tools = filterAgentTools(runtime.tools(definition, []), definition).tools
  if (!tools.some(({ name }) => name === toolName)) return undefined
  const others = [...agents.values()].map(({ member }) => member.definition)
  const reader = tools.find(({ name }) => name === 'filesystem.read')
  if (reader === undefined || !(await mayRead(reader, path, { definition, others })))
    return { state: 'hidden', reason: 'The agent may not read this file without approval.' }
  const target = await runtime.writeTarget(path)
  if (target.state !== 'text' || redactor === undefined) return target
  return { ...target, text: redactor.redact(target.text) }
}

/**
 * Returns true if the rules of the agent allow it to read the file. Deny rules of all agents count, because an
 * agent inherits those of its callers.
 */
async function mayRead(
  tool: ToolDefinition,
  path: string,
  {
    definition,
    others,
  }: { readonly definition: AgentDefinition; readonly others: readonly AgentDefinition[] },
): Promise<boolean> {
  const inherited = others.map(({ permissions }) => ({
    permissions: { deny: permissions.deny, ask: [], allow: [] },
    requiresApproval: [],
    toolPermission: 'never' as const,
  }))
  const { decision } = await effectivePermission(definition, inherited).ofCall(tool, { path })
  return decision === 'allow'
}
