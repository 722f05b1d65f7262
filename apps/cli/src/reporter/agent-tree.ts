import type { HostPlan, PlannedAgent } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import { agentFacts } from './agent-facts.ts'
import type { ProblemFormat } from './problems.ts'
import { shortPath } from './problems.ts'

/** Returns the agents of a plan as a tree. An agent that is already shown is only named. */
export function agentTree(plan: HostPlan, format: ProblemFormat): readonly string[] {
  const shown = new Set<string>()
  const agents = new Map(plan.agents.map((agent) => [agent.name, agent]))
  const draw = (agent: PlannedAgent, isRoot: boolean): readonly string[] => {
    if (shown.has(agent.name)) return [`${plainText(agent.name)} ${format.style.dim('(see above)')}`]
    shown.add(agent.name)
    const children = agent.children.flatMap((name) => agents.get(name) ?? [])
    return [
      headOf(agent, plan, format),
      ...agentFacts(agent, { isRoot }).map(
        (fact) => `${children.length > 0 ? '│' : ' '}   ${plainText(fact)}`,
      ),
      ...children.flatMap((child, index) => branch(draw(child, false), index === children.length - 1)),
    ]
  }
  return rootsOf(plan).flatMap((root) => (shown.has(root.name) ? [] : draw(root, true)))
}

/**
 * Returns the entry agent, then agents that no other agent calls, then all others, for those that are only
 * reachable through a cycle.
 */
function rootsOf(plan: HostPlan): readonly PlannedAgent[] {
  const called = new Set(plan.agents.flatMap((agent) => agent.children))
  const isEntry = (agent: PlannedAgent): boolean => agent.name === plan.entry
  return [
    ...plan.agents.filter(isEntry),
    ...plan.agents.filter((agent) => !isEntry(agent) && !called.has(agent.name)),
    ...plan.agents.filter((agent) => !isEntry(agent) && called.has(agent.name)),
  ]
}

function branch(lines: readonly string[], isLast: boolean): readonly string[] {
  const [head = '', ...rest] = lines
  return [`${isLast ? '└─' : '├─'} ${head}`, ...rest.map((line) => `${isLast ? ' ' : '│'}  ${line}`)]
}

function headOf(agent: PlannedAgent, plan: HostPlan, { cwd, style }: ProblemFormat): string {
  const marks = [
    agent.name === plan.entry ? 'entry' : undefined,
    plan.unreached.includes(agent.name) ? 'not reached by the entry' : undefined,
    agent.type === 'agent' ? undefined : agent.type,
    agent.hidden ? 'hidden' : undefined,
    agent.runnable ? undefined : 'cannot run',
  ].filter((mark) => mark !== undefined)
  const suffix = marks.length === 0 ? '' : `  [${marks.join(', ')}]`
  return `${style.bold(plainText(agent.name))}  ${style.dim(shortPath(agent.file, cwd))}${suffix}`
}
