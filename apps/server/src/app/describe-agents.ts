import { ERRORS, type AgentDefinition, type JsonObject } from '@troupe/schema'
import type { ServedHost } from '../runs/served-runner.ts'

/**
 * Describes the served agents for `/api/agents`. Variables are listed by name and whether they are set, never
 * with their values. Only the operator gets the origins of variables, and the files and texts of problems.
 */
export function describeAgents(
  host: Pick<ServedHost, 'plan'>,
  served: readonly AgentDefinition[],
  { isOperator }: { readonly isOperator: boolean },
): readonly JsonObject[] {
  const plan = host.plan()
  return served.flatMap((definition) => {
    const { name } = definition
    const planned = plan.agents.find((agent) => agent.name === name)
    if (planned === undefined) return []
    const { description, type, models, children, servers, tools, reaches, worstCase } = planned
    return [
      toPlainJson({
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
            isSet: variable.origin !== undefined,
            origin: isOperator ? variable.origin : undefined,
          })),
        problems: plan.problems
          .filter(({ agent }) => agent === name)
          .map((problem) => (isOperator ? problem : publicProblem(problem))),
      }),
    ]
  })
}

type AgentPlanProblem = ReturnType<ServedHost['plan']>['problems'][number]

/** Removes the file and the text, which may name files and values of cards. */
function publicProblem({ severity, code, agent }: AgentPlanProblem): AgentPlanProblem {
  return { severity, code, message: `${ERRORS[code].title}.`, ...(agent === undefined ? {} : { agent }) }
}

/** Converts an object to JSON, without undefined values. */
function toPlainJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}
