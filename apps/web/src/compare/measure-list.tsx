import type { AlignedRow } from '@troupe/timeline'
import type { ReactElement } from 'react'
import { classNames } from '../ui/class-names.ts'
import { comparedMeasures } from './comparison-view.ts'

/** Shows time, tokens, cost and calls of both sides of a row, with the change. */
export function MeasureList({ row }: { readonly row: AlignedRow }): ReactElement | null {
  const measures = comparedMeasures(row)
  if (measures.length === 0) return null
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1 text-small">
      {measures.map(({ name, left, right, change, isMore }) => (
        <div key={name} className="flex items-baseline gap-1.5">
          <dt className="text-tiny text-muted">{name}</dt>
          <dd className="flex items-baseline gap-1.5 tabular">
            {left === right ? left : `${left} → ${right}`}
            <span
              className={classNames(
                'text-tiny font-semibold',
                change === '±0' ? 'text-muted' : isMore ? 'text-bad' : 'text-good',
              )}
            >
              {change}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  )
}
