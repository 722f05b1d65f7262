import type { ReactElement } from 'react'
import { Field } from '../../ui/field.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import type { DraftKind, DraftSchema } from '../draft/draft.ts'
import { problemKey } from '../draft/from-draft.ts'
import type { ProblemLookup } from './schema-fields-props.ts'

const WORDS: Readonly<Partial<Record<DraftKind, readonly [string, string]>>> = {
  string: ['Min length', 'Max length'],
  number: ['Minimum', 'Maximum'],
  integer: ['Minimum', 'Maximum'],
  array: ['Min items', 'Max items'],
}

/** Edits the bounds of a value, its length, or its number of items. */
export function BoundsFields({
  id,
  schema,
  problemAt,
  onChange,
}: {
  readonly id: string
  readonly schema: DraftSchema
  readonly problemAt: ProblemLookup
  readonly onChange: (part: Partial<DraftSchema>) => void
}): ReactElement | null {
  const [least, most] = WORDS[schema.kind] ?? []
  if (least === undefined || most === undefined) return null
  return (
    <div className="flex flex-col gap-2">
      <div className="grid grid-cols-2 gap-3">
        <Field label={least} problem={problemAt(problemKey(id, 'least'))}>
          {(props) => (
            <TextInput
              {...props}
              inputMode="decimal"
              value={schema.least}
              onChange={(event) => onChange({ least: event.target.value })}
            />
          )}
        </Field>
        <Field label={most} problem={problemAt(problemKey(id, 'most'))}>
          {(props) => (
            <TextInput
              {...props}
              inputMode="decimal"
              value={schema.most}
              onChange={(event) => onChange({ most: event.target.value })}
            />
          )}
        </Field>
      </div>
      {schema.kind === 'array' ? (
        <label className="flex items-center gap-2 text-small">
          <input
            type="checkbox"
            checked={schema.isUnique}
            onChange={(event) => onChange({ isUnique: event.target.checked })}
            className="size-4 accent-accent"
          />
          No item twice
        </label>
      ) : null}
    </div>
  )
}
