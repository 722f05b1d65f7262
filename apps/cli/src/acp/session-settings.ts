import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk'
import type { AgentDefinition, ModelChoice } from '@troupe/schema'

/** The agent and the model of a session. */
export interface SessionSettings {
  readonly agent: AgentDefinition
  /** Model instead of that of the card. */
  readonly model?: string | undefined
}

/** Returns the modes of a session: the agents that it can use. There are none without a choice. */
export function sessionModes(
  agents: readonly AgentDefinition[],
  { agent }: SessionSettings,
): { readonly modes?: SessionModeState } {
  if (agents.length < 2) return {}
  const availableModes = agents.map(({ name, description }) => ({
    id: name,
    name,
    ...(description === undefined ? {} : { description }),
  }))
  return { modes: { currentModeId: agent.name, availableModes } }
}

/** Id of the option for the model. */
export const MODEL_OPTION = 'model'

/** Value of the option for the model of the card. No model has this id. */
export const CARD_MODEL = '(card)'

/** Returns the options of a session: the model, if some are configured. */
export function sessionOptions(
  models: readonly ModelChoice[],
  { model = CARD_MODEL }: SessionSettings,
): SessionConfigOption[] {
  if (models.length === 0) return []
  const choices = models.map(({ id, means = [] }) => ({
    value: id,
    name: id,
    ...(means.length === 0 ? {} : { description: means.join(', ') }),
  }))
  return [
    {
      type: 'select',
      id: MODEL_OPTION,
      name: 'Model',
      category: 'model',
      currentValue: model,
      options: [{ value: CARD_MODEL, name: 'As in the card' }, ...choices],
    },
  ]
}
