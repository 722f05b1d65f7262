import type { AgentDefinition, JsonObject } from '@troupe/schema'
import type { ServedHost } from './server-options.ts'

/** The served agents with their plans, for `/api/agents`: what each is, calls, needs and may do. Variables have names and places, never values. */
export function describeAgents(
  host: Pick<ServedHost, 'plan'>,
  served: readonly AgentDefinition[],
): readonly JsonObject[] {
  const plan = host.plan()
  return served.flatMap((definition) => {
    const { name } = definition
    const planned = plan.agents.find((agent) => agent.name === name)
    if (planned === undefined) return []
    const { description, type, models, children, servers, tools, reaches, worstCase } = planned
    return [
      plain({
        name,
        description,
        usage: definition.usage,
        version: definition.version,
        type,
        mode: definition.mode,
        entry: name === plan.entry,
        models,
        children,
        servers,
        tools,
        reaches,
        worstCase,
        limits: definition.limits,
        input: definition.input,
        output: definition.output,
        env: plan.variables
          .filter(({ agents }) => agents.includes(name))
          .map((variable) => ({
            name: variable.name,
            neededFor: variable.neededFor,
            origin: variable.origin,
          })),
        problems: plan.problems.filter(({ agent }) => agent === name),
      }),
    ]
  })
}

/** As JSON: what is undefined is left out. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}
