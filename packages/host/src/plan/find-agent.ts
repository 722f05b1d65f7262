import { TroupeError, troupeError, type AgentDefinition, type ModelChoice } from '@troupe/schema'
import type { CheckedAgent } from '../check/check-agent.ts'
import { createConfiguredModels } from '../config/configured-models.ts'
import { problemFailure, suggestionText } from '../config/plan-problem.ts'
import type { LoadedTeam } from './load-team.ts'

/** Returns the agent with the name, or the entry agent. Throws `agent_unknown` or `agent_ambiguous`. */
export function findAgent({ agents, entry }: LoadedTeam, name: string | undefined): CheckedAgent {
  if (name === undefined && 'problem' in entry) throw new TroupeError(problemFailure(entry.problem))
  const agentName = name ?? ('name' in entry ? entry.name : '')
  const agent = agents.get(agentName)
  if (agent !== undefined) return agent
  const hint = suggestionText(agentName, agents.keys())
  throw troupeError(
    'agent_unknown',
    `There is no agent "${agentName}"${hint} Known: ${[...agents.keys()].join(', ') || 'none'}.`,
  )
}

/** Throws the first error that blocks the agent. */
export function requireRunnable(loaded: LoadedTeam, { member }: CheckedAgent): void {
  const blocker = loaded.blocker(member.definition.name)
  if (blocker !== undefined) throw new TroupeError(problemFailure(blocker))
}

const runnable = new WeakMap<LoadedTeam, readonly AgentDefinition[]>()

/** Returns the runnable agents that are not hidden, the entry first. Cached per team. */
export function runnableAgents(loaded: LoadedTeam): readonly AgentDefinition[] {
  const known = runnable.get(loaded)
  if (known !== undefined) return known
  const agents = Object.freeze(listRunnable(loaded))
  runnable.set(loaded, agents)
  return agents
}

function listRunnable({ agents, entry, plan }: LoadedTeam): AgentDefinition[] {
  const first = 'name' in entry ? entry.name : undefined
  const names = plan.agents.filter((agent) => agent.runnable && !agent.hidden).map((agent) => agent.name)
  const ordered =
    first !== undefined && names.includes(first) ? [first, ...names.filter((name) => name !== first)] : names
  return ordered.flatMap((name) => agents.get(name)?.member.definition ?? [])
}

/** Returns all configured models, each once: aliases, the default, and those of the cards. */
export function modelChoices({
  config,
  environment,
  agents,
}: Pick<LoadedTeam, 'config' | 'environment' | 'agents'>): readonly ModelChoice[] {
  const { aliases, model: defaults = [] } = createConfiguredModels(config.config)(environment.overlay)
  const windows = new Map([...agents.values()].flatMap(({ contextWindows }) => [...contextWindows]))
  const toChoice = (id: string, means?: readonly string[]): ModelChoice => {
    const known = (means ?? [id]).flatMap((model) => windows.get(model) ?? [])
    return {
      id,
      ...(means === undefined ? {} : { means }),
      ...(known.length === 0 ? {} : { contextWindow: Math.min(...known) }),
    }
  }
  const aliasChoices = Object.entries(aliases).map(([id, means]) => ({ id, means: [means].flat() }))
  const aliasedIds = new Set(aliasChoices.flatMap(({ means }) => means))
  const ids = [...defaults, ...[...agents.values()].flatMap(({ member }) => member.definition.model)]
  // A model with an alias is listed under the alias only.
  const unaliased = ids.filter((id) => !Object.hasOwn(aliases, id) && !aliasedIds.has(id))
  return [
    ...aliasChoices.map(({ id, means }) => toChoice(id, means)),
    ...[...new Set(unaliased)].map((id) => toChoice(id)),
  ]
}
