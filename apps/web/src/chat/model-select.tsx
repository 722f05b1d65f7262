import type { ModelList } from '@troupe/headends'
import type { ReactElement } from 'react'
import { MODELS_PATH } from '../api/runs.ts'
import { useRequest } from '../api/use-request.ts'
import { Select } from '../ui/field.tsx'

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
  const { value } = useRequest<ModelList>(MODELS_PATH)
  const choices = value?.models ?? []
  if (choices.length < 2) return null
  return (
    <Select
      aria-label="Model"
      isQuiet
      className="max-w-44"
      value={model ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
    >
      <option value="">Models of the cards</option>
      {choices.map(({ id, means }) => (
        <option key={id} value={id}>
          {means === undefined ? id : `${id} (${means.join(', ')})`}
        </option>
      ))}
    </Select>
  )
}
