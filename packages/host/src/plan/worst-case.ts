import { needsModel } from '@troupe/registry'
import type { AgentDefinition } from '@troupe/schema'
import type { WorstCase } from './host-plan.ts'

/** An agent with its children. */
interface BoundedAgent {
  readonly definition: AgentDefinition
  readonly children: readonly string[]
}

type Agents = ReadonlyMap<string, BoundedAgent>

/**
 * Returns upper bounds for one run of an agent, from its own limits and those of the agents below it. Runs
 * rarely come near them. Retries of failed model calls are not counted.
 */
export function worstCase(root: BoundedAgent, agents: Agents): WorstCase {
  const { limits, name } = root.definition
  const runs =
    root.children.length === 0
      ? 1
      : runsBelow(name, { agents, depth: limits.maxDepth, cap: limits.maxRuns, known: new Map() })
  const below =
    root.children.length === 0
      ? []
      : [...reachable(name, agents)].flatMap((reached) => agents.get(reached)?.definition ?? [])
  const others = runs - 1
  return {
    runs,
    modelCalls: modelCalls(root.definition) + others * maxOf(below, modelCalls),
    toolCalls: toolCalls(root.definition) + others * maxOf(below, toolCalls),
    ...(limits.maxTokens === undefined ? {} : { tokens: limits.maxTokens }),
    ...(limits.maxCost === undefined ? {} : { cost: limits.maxCost }),
    ...(limits.timeout === undefined ? {} : { durationMs: limits.timeout }),
  }
}

/** Counts the runs of a run tree including its root run, up to `cap`. */
function runsBelow(
  name: string,
  within: {
    readonly agents: Agents
    readonly depth: number
    readonly cap: number
    /** Counts by depth and name, so agents with several parents are counted only once. */
    readonly known: Map<string, number>
  },
): number {
  const { agents, depth, cap, known } = within
  const agent = agents.get(name)
  if (agent === undefined || depth <= 0) return 1
  const key = `${depth} ${name}`
  const counted = known.get(key)
  if (counted !== undefined) return counted
  const largest = agent.children.reduce(
    (size, child) => Math.max(size, runsBelow(child, { ...within, depth: depth - 1 })),
    0,
  )
  const runs = Math.min(cap, 1 + childCalls(agent) * largest)
  known.set(key, runs)
  return runs
}

/** Returns the maximum number of child calls in one run. Most compositions declare it in the card. */
function childCalls({ definition, children }: BoundedAgent): number {
  if (children.length === 0) return 0
  const { type, composition, limits } = definition
  const turns = limits.maxTurns * limits.maxToolCallsPerTurn
  if (type === 'chain') return composition.sequence?.length ?? children.length
  if (type === 'parallel') return (composition.fanOut?.length ?? children.length) + 1
  if (type === 'router') return 1
  if (type === 'evaluator_optimizer')
    return composition.maxRefinements === undefined ? turns : 2 * (composition.maxRefinements + 1)
  if (type === 'voting') return composition.maxSamples ?? 50
  return turns + (composition.fanOut?.length ?? 0) + (composition.fanIn === undefined ? 0 : 1)
}

/**
 * Returns the maximum number of model calls in one run: `maxTurns`, for an orchestrator at least its plans,
 * and a closing one.
 */
function modelCalls(definition: AgentDefinition): number {
  if (!needsModel(definition)) return 0
  return Math.max(definition.limits.maxTurns, definition.composition.planIterations ?? 0) + 1
}

function toolCalls({ type, limits }: AgentDefinition): number {
  return type === 'agent' ? limits.maxTurns * limits.maxToolCallsPerTurn : 0
}

function maxOf(
  definitions: readonly AgentDefinition[],
  count: (definition: AgentDefinition) => number,
): number {
  return definitions.reduce((largest, definition) => Math.max(largest, count(definition)), 0)
}

/** Returns the agents below one, without the agent itself unless there is a cycle. */
function reachable(name: string, agents: Agents): ReadonlySet<string> {
  const reached = new Set<string>()
  const waiting = [...(agents.get(name)?.children ?? [])]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(next)) continue
    reached.add(next)
    waiting.push(...(agents.get(next)?.children ?? []))
  }
  return reached
}
