import type { ToolDefinition } from '@troupe/schema'
import { permissionBelow } from '../prepare/ceilings.ts'
import type { CheckedAgent } from '../check/check-agent.ts'
import { knownTools } from './known-tools.ts'
import { planWarning } from './plan-problem.ts'
import type { PlanProblem } from './plan-types.ts'

/** A warning for an agent that is served where nobody can be asked and has none of its tools there, as each needs an approval (R16). Nothing is said of tools that are not `listed` yet. */
export function withheldTools(
  agent: CheckedAgent,
  listed: readonly ToolDefinition[] | undefined,
): readonly PlanProblem[] {
  const { servers } = agent
  const { definition, card } = agent.member
  if (definition.exports.tools.length === 0 || (listed === undefined && servers.length > 0)) return []
  const tools = knownTools(agent, listed)
  const permission = permissionBelow(definition, [])
  if (tools.length === 0 || tools.some((tool) => permission(tool) === 'allow')) return []
  const names = tools.map(({ name }) => name).join(', ')
  const message = `${definition.name} answers its exported tools with none of its own: each needs an approval, and there nobody can be asked. Left out: ${names}.`
  return [planWarning('headless_no_tools', message, { file: card.path, agent: definition.name })]
}
