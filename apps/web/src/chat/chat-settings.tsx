import type { StartRunBody } from '@troupe/client'
import type { ReactElement } from 'react'
import { MODELS } from '../api/queries.ts'
import { useRequest } from '../api/use-request.ts'
import { Select } from '../ui/field.tsx'

/** Settings of the next messages. */
export interface ChatSettings {
  readonly budget: MessageBudget
  /** The model of every agent; `undefined` for the models of the cards. */
  readonly model: string | undefined
}

/** The settings of the cards. */
export const NO_SETTINGS: ChatSettings = Object.freeze({ budget: {}, model: undefined })

/** The budget of one message. Limits of the card apply where a field is `undefined`. */
export interface MessageBudget {
  /** In USD. */
  readonly maxCost?: number | undefined
  readonly maxTokens?: number | undefined
  /** In seconds. */
  readonly timeout?: number | undefined
}

/** Converts the settings to the fields of a run request. */
export function toRunOptions({
  budget,
  model,
}: ChatSettings): Pick<StartRunBody, 'budget' | 'timeout' | 'model'> {
  return { ...toRunLimits(budget), ...(model === undefined ? {} : { model }) }
}

/** Converts the budget to the fields of a run request. */
function toRunLimits({ maxCost, maxTokens, timeout }: MessageBudget): {
  readonly budget?: { readonly maxCost?: number; readonly maxTokens?: number }
  readonly timeout?: number
} {
  const budget = {
    ...(maxCost === undefined ? {} : { maxCost }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  }
  return {
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    ...(timeout === undefined ? {} : { timeout: Math.round(1000 * timeout) }),
  }
}

/** Returns the budget as a short text, such as `≤ $0.50, 20000 tokens`; empty if there is none. */
export function budgetText({ maxCost, maxTokens, timeout }: MessageBudget): string {
  const caps = [
    maxCost === undefined ? '' : `$${maxCost}`,
    maxTokens === undefined ? '' : `${maxTokens} tokens`,
    timeout === undefined ? '' : `${timeout} s`,
  ].filter((cap) => cap !== '')
  return caps.length === 0 ? '' : `≤ ${caps.join(', ')}`
}

/**
 * Selects the model of every agent in the next runs; `undefined` for the models of the cards. Shows nothing
 * if there are fewer than two models.
 */
export function ModelSelect({
  model,
  onChange,
}: {
  readonly model: string | undefined
  readonly onChange: (model: string | undefined) => void
}): ReactElement | null {
  const { value } = useRequest(MODELS)
  const choices = value?.models ?? []
  if (choices.length < 2) return null
  return (
    <Select
      aria-label="Model"
      isQuiet
      className="max-w-44 max-sm:max-w-28"
      value={model ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
    >
      <option value="">Default models</option>
      {choices.map(({ id, means }) => (
        <option key={id} value={id}>
          {means === undefined ? id : `${id} (${means.join(', ')})`}
        </option>
      ))}
    </Select>
  )
}
