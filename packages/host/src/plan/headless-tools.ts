import { effectivePermission } from '../prepare/effective-permission.ts'
import type { CheckedAgent } from '../check/check-agent.ts'
import type { KnownTools } from './known-tools.ts'
import { planWarning } from './plan-problem.ts'
import type { PlanProblem } from './plan-types.ts'

/**
 * Warns if an agent serves exported tools but all of its own tools need approval, so none are available
 * there. Skipped while the tools of MCP servers are unknown.
 */
export function headlessToolProblems(
  { member, servers }: CheckedAgent,
  { tools, isWhole }: KnownTools,
): readonly PlanProblem[] {
  const { definition, card } = member
  if (definition.exports.tools.length === 0 || (!isWhole && servers.length > 0)) return []
  const permission = effectivePermission(definition, [])
  if (tools.length === 0 || tools.some((tool) => permission.ofTool(tool) === 'allow')) return []
  const names = tools.map(({ name }) => name).join(', ')
  const message = `${definition.name} answers its exported tools with none of its own: each needs an approval, and there nobody can be asked. Left out: ${names}.`
  return [planWarning('headless_no_tools', message, { file: card.path, agent: definition.name })]
}
