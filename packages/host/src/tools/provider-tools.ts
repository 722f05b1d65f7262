import { hookReach } from '@troupe/hooks'
import {
  failure,
  TroupeError,
  troupeError,
  type AgentDefinition,
  type Failure,
  type ProviderTool,
  type ToolDefinition,
  type ToolHook,
} from '@troupe/schema'
import type { PermissionPolicy, PreparedAgent } from '@troupe/schema/ports'

/** Everything that restricts the calls of an agent. */
interface Restrictions {
  readonly definition: Pick<AgentDefinition, 'name' | 'guard'>
  readonly permission: PermissionPolicy
  readonly hooks: readonly ToolHook[]
}

/** Returns the tools of an agent that the provider of its model executes. */
export function providerTools({
  providerTools: names = [],
}: Pick<AgentDefinition, 'providerTools'>): readonly ToolDefinition[] {
  return names.map((name) => TOOLS[name])
}

const TOOLS: Readonly<Record<ProviderTool, ToolDefinition>> = {
  web_search: toolOf('web_search', 'Searches the web.'),
  web_fetch: toolOf('web_fetch', 'Reads a page of the web.'),
  code_execution: toolOf('code_execution', 'Runs code on a machine of the provider.'),
}

function toolOf(wireName: ProviderTool, description: string): ToolDefinition {
  const name = `provider.${wireName}`
  return {
    name,
    wireName,
    source: 'provider',
    server: 'provider',
    description,
    inputSchema: { type: 'object', properties: {} },
    effect: 'once',
    execute: () => {
      throw troupeError('tool_unknown', `The provider of the model executes ${name} itself.`)
    },
  }
}

/**
 * Returns the failure if an agent restricts calls of a provider's tool in a way that cannot be enforced, because
 * the provider executes the calls within its answer. A tool that is denied is left out, which is enforced.
 */
export function restrictionProblem(
  tool: ToolDefinition,
  { definition, permission, hooks }: Restrictions,
): Failure | undefined {
  const decision = permission.ofTool(tool)
  if (decision === 'deny') return undefined
  const start = `providerTools: ${definition.name} cannot use ${tool.wireName}`
  if (decision === 'ask')
    return failure(
      'card_bad_value',
      `${start}, because calls of it need approval and the provider does not wait for one.`,
      `Allow it with \`permissions: {allow: [${tool.name}]}\`, or remove it.`,
    )
  if (guardsCalls(definition))
    return failure(
      'card_bad_value',
      `${start}, because guards at \`toolCall\` and \`toolResult\` cannot see calls of the provider.`,
      'Remove the tool, or the guards.',
    )
  const hook = hooks.find((each) => hookReach(each)?.concerns(tool) ?? true)
  if (hook === undefined) return undefined
  return failure(
    'card_bad_value',
    `${start}, because the hook ${hookReach(hook)?.name ?? hook.name} in \`toolHooks\` cannot see calls of the provider.`,
    'Remove the tool, or limit the hook to other tools with `tools`, `except` or `sources`.',
  )
}

/** Returns true if guards check the tool calls of an agent, or their results. */
function guardsCalls({ guard }: Pick<AgentDefinition, 'guard'>): boolean {
  return (guard?.toolCall ?? []).length > 0 || (guard?.toolResult ?? []).length > 0
}

/**
 * Removes the tools of the provider that a rule denies. Throws `card_bad_value` for a restriction that cannot be
 * enforced.
 */
export function enforceRestrictions(prepared: PreparedAgent): PreparedAgent {
  if ((prepared.definition.providerTools ?? []).length === 0) return prepared
  const offered = [...prepared.tools].filter(([, tool]) => {
    if (tool.source !== 'provider') return true
    const problem = restrictionProblem(tool, prepared)
    if (problem !== undefined) throw new TroupeError(problem)
    return prepared.permission.ofTool(tool) !== 'deny'
  })
  return offered.length === prepared.tools.size ? prepared : { ...prepared, tools: new Map(offered) }
}
