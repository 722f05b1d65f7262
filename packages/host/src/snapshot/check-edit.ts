import { createFunctionWorkers } from '@troupe/tools'
import type { AgentDefinition } from '@troupe/schema'
import type { UnsavedCard } from '../cards/card-pool.ts'
import type { LineFiles } from '../code/load-code.ts'
import type { HostOptions } from '../config/host-options.ts'
import type { HostPlan } from '../plan/host-plan.ts'
import { loadTeam, type LoadedTeam } from '../plan/load-team.ts'

/** A team as it would be after a card is saved. */
export interface CheckedEdit {
  readonly plan: HostPlan
  /** The agents of the edited file, as they would run; empty if the text has errors. */
  readonly definitions: readonly AgentDefinition[]
}

/**
 * Plans a team with the unsaved text of one of its card files. Writes, imports and fetches nothing: an agent whose
 * code is edited is planned without code, and a card at a new URL is left out.
 */
export async function checkEdit(
  unsaved: UnsavedCard,
  {
    options,
    saved,
    lineFiles,
  }: { readonly options: HostOptions; readonly saved: LoadedTeam; readonly lineFiles: LineFiles },
): Promise<CheckedEdit> {
  const workers = createFunctionWorkers()
  const loaded = await loadTeam(options, { lineFiles, workers }, { unsaved, saved })
  const members = [...loaded.agents.values()].map(({ member }) => member)
  await Promise.all([workers.close(), loaded.runtime.close(), loaded.python.close()])
  return {
    plan: loaded.plan,
    definitions: members.filter(({ card }) => card.path === unsaved.path).map(({ definition }) => definition),
  }
}
