import type { AgentDefinition, LanguageModel } from '@troupe/schema'

/** Agents, and the models that they are played by. */
export interface ScriptedTeam {
  readonly cards: readonly AgentDefinition[]
  /** By the name after `test/`. */
  readonly models: Readonly<Record<string, LanguageModel>>
}

/** Models by the ids that agents ask for, as a host takes them. */
export function toModelIds(models: ScriptedTeam['models']): Readonly<Record<string, LanguageModel>> {
  return Object.fromEntries(Object.entries(models).map(([name, model]) => [`test/${name}`, model]))
}
