import type { ModelChoice } from '@troupe/schema'

/** The models that a run may ask in place of those of the cards. */
export interface ModelList {
  readonly models: readonly ModelChoice[]
}

/** Where the models are listed. */
export const MODELS_PATH = 'api/models'
