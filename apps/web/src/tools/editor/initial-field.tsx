import type { ReactElement } from 'react'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import type { DraftSchema } from '../draft/draft.ts'

/** Edits the default of a value. Offers the allowed values if there are any. */
export function InitialField({
  schema,
  problem,
  onChange,
}: {
  readonly schema: DraftSchema
  readonly problem: string | undefined
  readonly onChange: (initial: string | undefined) => void
}): ReactElement {
  const { kind, values, initial } = schema
  const choices = kind === 'boolean' ? ['true', 'false'] : values
  return (
    <Field
      label="Default"
      problem={problem}
      {...(kind === 'array' ? { hint: 'As JSON, such as ["a"]' } : {})}
    >
      {(props) =>
        choices.length > 0 ? (
          <Select
            {...props}
            value={initial ?? ''}
            onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
          >
            <option value="">none</option>
            {choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
            {initial === undefined || choices.includes(initial) ? null : <option>{initial}</option>}
          </Select>
        ) : (
          <TextInput
            {...props}
            placeholder="none"
            value={initial ?? ''}
            onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
          />
        )
      }
    </Field>
  )
}
