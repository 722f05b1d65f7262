import type { ReactElement } from 'react'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { DRAFT_KINDS, emptySchema, type DraftKind, type DraftSchema } from '../draft/draft.ts'

const WORDS: Readonly<Record<DraftKind, string>> = {
  string: 'string',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  array: 'array',
  object: 'object',
  other: 'JSON Schema',
}

/** Selects the type of a value. A change resets the schema except for its description. */
export function KindSelect({
  schema,
  onChange,
  label = 'Type',
}: {
  readonly schema: DraftSchema
  readonly onChange: (schema: DraftSchema) => void
  readonly label?: string
}): ReactElement {
  return (
    <Field label={label}>
      {(props) => (
        <Select
          {...props}
          value={schema.kind}
          onChange={(event) => onChange(emptySchema(event.target.value as DraftKind, schema))}
        >
          {DRAFT_KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {WORDS[kind]}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
