import { troupeError, type AgentDefinition } from '@troupe/schema'
import type { TeamOverrides } from '@troupe/schema/ports'

/** Keys of a definition that a trial takes from the edited card. */
const TRIED = ['instruction', 'model', 'settings'] as const
/** Keys of a definition that change nothing about a run of the agent itself. */
const WITHOUT_EFFECT: readonly string[] = [
  'source',
  'digest',
  'description',
  'usage',
  'version',
  'default',
  'hidden',
  'exports',
  'toolName',
  'schedule',
  'display',
]

/**
 * Returns what a trial takes from an edited definition. Everything else stays as saved, so that an unsaved card
 * cannot get more tools, permissions or limits: throws `card_edit_refused` if it changes them, or names a model that
 * neither the team nor a run may use.
 */
export function trialOverrides(
  edited: AgentDefinition,
  { saved, models }: { readonly saved: AgentDefinition; readonly models: ReadonlySet<string> },
): Omit<TeamOverrides, 'model'> {
  const changed = changedKeys(edited, saved)
  if (changed.length > 0)
    throw troupeError(
      'card_edit_refused',
      `A trial can only change the prompt, the models and the model settings. The edit also changes ${changed.join(', ')}.`,
      { fix: 'Save the card, then run the agent.' },
    )
  const unknown = edited.model.find((model) => !models.has(model))
  if (unknown !== undefined)
    throw troupeError('card_edit_refused', `A trial cannot use ${unknown}, which no saved card uses.`, {
      fix: 'Save the card, or add the model to `models` in troupe.json.',
    })
  const { name, instruction, model, settings } = edited
  return { prompts: { [name]: instruction }, agents: { [name]: { model, settings } } }
}

function changedKeys(edited: AgentDefinition, saved: AgentDefinition): readonly string[] {
  const ignored = new Set<string>([...TRIED, ...WITHOUT_EFFECT])
  const [after, before] = [edited, saved] as unknown as readonly Readonly<Record<string, unknown>>[]
  const keys = new Set([...Object.keys(edited), ...Object.keys(saved)])
  return [...keys].filter(
    (key) => !ignored.has(key) && JSON.stringify(after?.[key]) !== JSON.stringify(before?.[key]),
  )
}
