import type { ModelChoice } from '@troupe/schema'

/** The models that a run may use in place of those of the cards. */
export interface ModelList {
  readonly models: readonly ModelChoice[]
}

/** The path of the list of models. */
export const MODELS_PATH = 'api/models'
