import { toRunLimits, type MessageBudget } from './message-budget.ts'
import type { RunStartRequest } from '../api/run-control.ts'

/** Settings of the next messages. */
export interface ChatSettings {
  readonly budget: MessageBudget
  /** The model of every agent; `undefined` for the models of the cards. */
  readonly model: string | undefined
}

/** The settings of the cards. */
export const NO_SETTINGS: ChatSettings = Object.freeze({ budget: {}, model: undefined })

/** Converts the settings to the fields of a run request. */
export function toRunOptions({
  budget,
  model,
}: ChatSettings): Pick<RunStartRequest, 'budget' | 'timeout' | 'model'> {
  return { ...toRunLimits(budget), ...(model === undefined ? {} : { model }) }
}
