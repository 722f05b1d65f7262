import { parseModelId, toolRefusals } from '@troupe/models'
import type { AgentDefinition, ToolDefinition } from '@troupe/schema'
import { planWarning } from '../plan-problem.ts'
import type { PlanProblem } from '../plan-types.ts'

/** A warning for each tool that a provider of the agent's models would refuse to be offered. */
export function refusedTools(
  { name, model, source }: AgentDefinition,
  tools: readonly ToolDefinition[],
): readonly PlanProblem[] {
  const providers = new Set(model.flatMap((id) => parseModelId(id).provider ?? []))
  return [...providers].flatMap((provider) =>
    tools.flatMap((tool) =>
      toolRefusals(provider, tool).map((why) =>
        planWarning('tool_schema_refused', `${provider} refuses the tool ${tool.name}: ${why}.`, {
          agent: name,
          file: source.path,
        }),
      ),
    ),
  )
}
