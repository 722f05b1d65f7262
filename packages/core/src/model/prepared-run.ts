import type { BudgetScope, LanguageModel, ModelHandle, PreparedAgent } from '@troupe/schema'
import type { ConversationRun } from '../context/conversation.ts'

/** A run whose agent is prepared, so that it can call its models. */
export interface PreparedRun extends ConversationRun {
  readonly prepared: PreparedAgent
  /** Remaining budget. `undefined` if there is no limit. */
  readonly budget: BudgetScope | undefined
  /** Models called so far. Each is opened once per run, so that a scripted model continues at its step. */
  readonly openModels: Map<ModelHandle, LanguageModel>
}
