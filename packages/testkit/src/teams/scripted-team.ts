import type { AgentDefinition, LanguageModel } from '@troupe/schema'

/** Agents with the models they use. */
export interface ScriptedTeam {
  readonly cards: readonly AgentDefinition[]
  /** Models by the name after `test/`. */
  readonly models: Readonly<Record<string, LanguageModel>>
}

/** Returns the models by full model id, as a host expects them. */
export function toModelIds(models: ScriptedTeam['models']): Readonly<Record<string, LanguageModel>> {
  return Object.fromEntries(Object.entries(models).map(([name, model]) => [`test/${name}`, model]))
}
