import type { HostPlan, PlanProblem } from '../plan/plan-types.ts'

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
