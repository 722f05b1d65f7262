import type { HostPlan, PlanProblem } from '../plan/plan-types.ts'

/** What became of an edit of the team. */
export interface Reload {
  /**
   * `taken`: runs that start from now on are those of the new team. `kept`: the edit stops agents that could be run, or it could not be
   * read, so the team stays as it was. `unchanged`: it changes nothing of the team that is in force.
   */
  readonly outcome: 'taken' | 'kept' | 'unchanged'
  /** Names of agents that are new, that are not what they were, and that are gone. */
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** Names of agents that could be run before and, with this edit, could not: why it is kept out. */
  readonly blocked: readonly string[]
  /** What is wrong with the edited team, each with its place. Where it is kept out the reasons stand first. */
  readonly problems: readonly PlanProblem[]
  /** The edited team, also where it is kept out. */
  readonly plan: HostPlan
}
