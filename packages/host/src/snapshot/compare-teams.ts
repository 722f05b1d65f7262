import type { CheckedAgent } from '../check/check-agent.ts'
import type { PlanProblem } from '../config/plan-problem.ts'
import type { HostPlan } from '../plan/host-plan.ts'
import type { LoadedTeam } from '../plan/load-team.ts'
import { scriptFiles } from '../prepare/resolve-models.ts'
import type { TeamSnapshot } from './team-snapshot.ts'

/** Result of a reload. */
export interface Reload {
  /**
   * `taken` if new runs use the edited team. `kept` if the edit was rejected because it stops runnable agents
   * or cannot be read, so the team stays as it was. `unchanged` if it makes no difference.
   */
  readonly outcome: 'taken' | 'kept' | 'unchanged'
  /** Names of new agents; `changed` and `removed` accordingly. */
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** Names of agents that this edit would stop, for which it was rejected. */
  readonly blocked: readonly string[]
  /** Problems of the edited team, with their locations. If the edit was rejected, the reasons come first. */
  readonly problems: readonly PlanProblem[]
  /** Plan of the edited team, even if it was rejected. */
  readonly plan: HostPlan
}

type Side = Pick<TeamSnapshot, 'loaded' | 'models'>

/**
 * Compares two versions of a team and decides whether the later one may replace the earlier. `emptied` holds
 * the files that no longer contain a card, with their problems.
 */
export function compareTeams(
  before: Side,
  after: Side,
  emptied: ReadonlyMap<string, readonly PlanProblem[]>,
): Reload {
  const [old, next] = [before.loaded.agents, after.loaded.agents]
  const added = [...next.keys()].filter((name) => !old.has(name))
  const changed = [...next].flatMap(([name, agent]) => {
    const previous = old.get(name)
    const isSame =
      previous === undefined ||
      agentSignature(previous, before.models.scripts) === agentSignature(agent, after.models.scripts)
    return isSame ? [] : [name]
  })
  const blocked = blockedAgents(before.loaded, { after: after.loaded, emptied })
  const removed = [...old.keys()].filter((name) => !next.has(name) && !blocked.includes(name))
  const isNew = [...added, ...removed, ...changed].length > 0 || teamText(before) !== teamText(after)
  const problems = [...emptied.values()].flat().concat(reasonsFirst(blocked, after.loaded))
  const isRejected = blocked.length > 0 || (hasGeneralError(after.loaded) && !hasGeneralError(before.loaded))
  return {
    outcome: isRejected ? 'kept' : isNew ? 'taken' : 'unchanged',
    added,
    changed,
    removed,
    blocked,
    problems,
    plan: after.loaded.plan,
  }
}

/**
 * Returns agents that were runnable and would no longer be after the edit. An agent whose card was deleted
 * counts as removed, one whose card cannot be read as blocked.
 */
function blockedAgents(
  before: LoadedTeam,
  { after, emptied }: { readonly after: LoadedTeam; readonly emptied: ReadonlyMap<string, unknown> },
): readonly string[] {
  const unreadable = new Set([...after.broken.map((card) => card.path), ...emptied.keys()])
  const runnable = new Map(after.plan.agents.map((agent) => [agent.name, agent.runnable]))
  const stopped = before.plan.agents.filter(({ name, file, runnable: wasRunnable }) => {
    return wasRunnable && !(runnable.get(name) ?? !unreadable.has(file))
  })
  const names = new Set(stopped.map((agent) => agent.name))
  const { entry } = before
  // The entry exists but is no longer the entry, so a run without an agent name would fail.
  if ('name' in entry && 'problem' in after.entry && after.agents.has(entry.name)) names.add(entry.name)
  return [...names]
}

function hasGeneralError({ config }: LoadedTeam): boolean {
  return config.problems.some((problem) => problem.severity === 'error')
}

/** Returns a text of everything that belongs to no single agent, to detect changes of the team. */
function teamText({ loaded }: Side): string {
  const { config, plan, environment } = loaded
  return JSON.stringify([config.config, environment.overlay.fingerprint, plan.entry, plan.problems])
}

function reasonsFirst(blocked: readonly string[], { plan }: LoadedTeam): readonly PlanProblem[] {
  const isReason = ({ severity }: PlanProblem): boolean => blocked.length > 0 && severity === 'error'
  return plan.problems.toSorted((a, b) => Number(isReason(b)) - Number(isReason(a)))
}

/**
 * Returns a text that changes whenever runs of the agent would: with its definition, variables, servers,
 * code, tools or scripts.
 */
function agentSignature(agent: CheckedAgent, scripts: ReadonlyMap<string, string>): string {
  const { member, environment, servers, parts } = agent
  return JSON.stringify([
    member.definition.digest,
    member.card.path,
    member.children,
    environment.overlay.fingerprint,
    servers,
    parts.modules,
    parts.tools.map(({ tool }) => [tool.name, tool.description, tool.instructions]),
    scriptFiles(agent).map((file) => scripts.get(file)),
  ])
}
