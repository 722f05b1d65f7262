import { preloadAgents, type Warn } from '@troupe/registry'
import { toFailure, type Failure, type ToolDefinition } from '@troupe/schema'
import type { CheckedAgent } from '../check/check-agent.ts'
import type { PlanProblem } from '../config/plan-problem.ts'
import type { HostPlan } from '../plan/host-plan.ts'
import type { LoadedTeam } from '../plan/load-team.ts'
import type { AgentPreparer } from '../prepare/prepare-agent.ts'

/** Tools and problems of the servers of one agent. */
interface Inspected {
  readonly name: string
  readonly tools?: readonly ToolDefinition[]
  readonly problems: readonly PlanProblem[]
}

/**
 * Returns the plan of a team including the tools of its MCP servers. Connects the servers of every agent
 * without errors, a few agents at a time, and releases them. A server that does not start is an error of its
 * agents; missing variables remain warnings.
 */
export async function inspectTeam(loaded: LoadedTeam, preparer: AgentPreparer): Promise<HostPlan> {
  const definitions = [...loaded.agents.values()]
    .filter(
      ({ servers, member }) => servers.length > 0 && loaded.blocker(member.definition.name) === undefined,
    )
    .map(({ member }) => member.definition)
  const inspected = await preloadAgents(definitions, async ({ name }) => {
    const agent = loaded.agents.get(name)
    return agent === undefined ? [] : [await inspectAgent(agent, preparer)]
  })
  return loaded.planWith({
    listed: new Map(inspected.flatMap(({ name, tools }) => (tools === undefined ? [] : [[name, tools]]))),
    problems: inspected.flatMap(({ problems }) => problems),
  })
}

async function inspectAgent(agent: CheckedAgent, preparer: AgentPreparer): Promise<Inspected> {
  const { definition, card } = agent.member
  const { name } = definition
  const location = { file: card.path, agent: name }
  const problems: PlanProblem[] = []
  const warn: Warn = ({ code, message }) =>
    void problems.push({ severity: 'warning', code, message, ...location })
  try {
    const { tools, release } = await preparer.tools(agent, { principal: 'local', warn })
    await release()
    return { name, tools: [...tools.values()], problems }
  } catch (thrown) {
    return { name, problems: [...problems, { ...startProblem(toFailure(thrown)), ...location }] }
  }
}

function startProblem({ code, message, remediation }: Failure): PlanProblem {
  const severity = code === 'env_missing' ? 'warning' : 'error'
  return { severity, code, message, fix: remediation }
}
