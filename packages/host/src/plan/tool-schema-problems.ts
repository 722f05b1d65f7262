import { parseModelId, toolRefusals, toolSchema } from '@troupe/models'
import type { AgentDefinition, ToolDefinition } from '@troupe/schema'
import { relaxationText } from '@troupe/schema/json-schema'
import { planWarning } from './plan-problem.ts'
import type { PlanProblem } from './plan-types.ts'

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
        planWarning('tool_schema_refused', `${provider} refuses the tool ${tool.name}: ${why}.`, at),
      ),
      ...toolSchema(provider, tool.inputSchema).relaxations.map((what) =>
        planWarning(
          'tool_schema_simplified',
          `${provider} is offered the tool ${tool.name} without ${relaxationText(what)}.`,
          at,
        ),
      ),
    ]),
  )
}
