import type { ToolCapability } from '@troupe/schema'
import { planWarning, type PlanProblem } from '../config/plan-problem.ts'
import type { PlannedAgent, PlannedTool, ReachedTool } from './host-plan.ts'

const MIX = ['reads_private', 'reads_untrusted', 'egress'] as const satisfies readonly ToolCapability[]

const CAPABILITY_TEXTS: Readonly<Record<(typeof MIX)[number], string>> = {
  reads_private: 'read private data',
  reads_untrusted: 'read untrusted content',
  egress: 'send data out',
}

type Reachable = PlannedTool & Partial<Pick<ReachedTool, 'via'>>

/**
 * Warns about agents that combine private data, untrusted content and an exfiltration channel, because a
 * prompt injection could make them leak the data. A parent is not reported if one of its children already is.
 * Tools that ask for approval or are denied do not count.
 */
export function dataFlowProblems(agents: readonly PlannedAgent[]): readonly PlanProblem[] {
  const mixed = new Map(agents.flatMap((agent) => mixOf(agent)))
  return agents.flatMap((agent) => {
    const mix = mixed.get(agent.name)
    if (mix === undefined || agent.children.some((child) => mixed.has(child))) return []
    return [warning(agent, mix)]
  })
}

type Mix = Readonly<Record<(typeof MIX)[number], Reachable>>

function mixOf(agent: PlannedAgent): readonly (readonly [string, Mix])[] {
  const tools: readonly Reachable[] = [...agent.tools, ...agent.reaches].filter(isAllowed)
  if (tools.length === 0) return []
  const [reads_private, reads_untrusted, egress] = MIX.map((capability) =>
    tools.find((tool) => tool.capabilities?.includes(capability)),
  )
  if (reads_private === undefined || reads_untrusted === undefined || egress === undefined) return []
  return [[agent.name, { reads_private, reads_untrusted, egress }]]
}

function isAllowed({ permission }: PlannedTool): boolean {
  return permission === 'allow'
}

function warning(agent: PlannedAgent, mix: Mix): PlanProblem {
  const parts = MIX.map((capability) => `${CAPABILITY_TEXTS[capability]} (${pathText(mix[capability])})`)
  return planWarning(
    'data_flow_mixed',
    `${agent.name} can ${parts.slice(0, -1).join(', ')} and ${parts.at(-1)} without approval.`,
    { file: agent.file, agent: agent.name },
  )
}

function pathText({ name, via }: Reachable): string {
  return via === undefined ? name : `${name} through ${via.join(' -> ')}`
}
