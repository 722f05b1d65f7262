import { failure, type AgentDefinition, type AgentRunner, type Failure } from '@troupe/schema'

/** Finds a served agent by name. Without a name, returns the entry agent. */
export function servedAgent(
  runner: Pick<AgentRunner, 'agents'>,
  name: string | undefined,
): AgentDefinition | Failure {
  const agents = runner.agents()
  const agent = name === undefined ? agents[0] : agents.find((one) => one.name === name)
  if (agent !== undefined) return agent
  const known = agents.map((one) => one.name).join(', ')
  return failure(
    'agent_unknown',
    name === undefined
      ? 'No agent is served.'
      : `No agent "${name.slice(0, 100)}" is served. Served: ${known}.`,
  )
}
