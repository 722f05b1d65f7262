import { toRunLimits, type ChatBudget } from './chat-budget.ts'
import type { RunStart } from '../api/run-control.ts'

/** How the next messages are answered. */
export interface ChatSettings {
  readonly budget: ChatBudget
  /** Asked by every agent; undefined: each asks the models of its card. */
  readonly model: string | undefined
}

/** As the cards say. */
export const NO_SETTINGS: ChatSettings = Object.freeze({ budget: {}, model: undefined })

/** The settings in the words of the server. */
export function toRunOptions({
  budget,
  model,
}: ChatSettings): Pick<RunStart, 'budget' | 'timeout' | 'model'> {
  return { ...toRunLimits(budget), ...(model === undefined ? {} : { model }) }
}
