import type { ReactElement } from 'react'
import { Select } from '../ui/field.tsx'
import type { HeatBy } from './team-figures.ts'

const CHOICES: Readonly<Record<HeatBy, string>> = {
  none: 'no colours',
  cost: 'cost',
  time: 'time',
  failures: 'failures',
}

/** Chooses the figure by which the boxes of the graph are coloured. */
export function HeatChoice({
  value,
  onChange,
}: {
  readonly value: HeatBy
  readonly onChange: (value: HeatBy) => void
}): ReactElement {
  return (
    <label className="flex items-center gap-2 text-small text-muted">
      Colour by
      <Select value={value} onChange={(event) => onChange(event.target.value as HeatBy)}>
        {Object.entries(CHOICES).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </label>
  )
}
