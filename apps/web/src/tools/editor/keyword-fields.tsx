import { useState, type ReactElement } from 'react'
import { Field, INPUT_CLASSES, Select, TextInput } from '../../ui/field.tsx'
import { DRAFT_KINDS, emptySchema, type DraftKind, type DraftSchema } from '../draft/draft.ts'
import { problemKey } from '../draft/from-draft.ts'

const BOUND_LABELS: Readonly<Partial<Record<DraftKind, readonly [string, string]>>> = {
  string: ['Min length', 'Max length'],
  number: ['Minimum', 'Maximum'],
  integer: ['Minimum', 'Maximum'],
  array: ['Min items', 'Max items'],
}

const KIND_LABELS: Readonly<Record<DraftKind, string>> = {
  string: 'string',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  array: 'array',
  object: 'object',
  other: 'JSON Schema',
}

/**
 * Returns the message of a problem by its key; `undefined` if there is none, or if it should not be shown
 * yet.
 */
export type ProblemLookup = (key: string) => string | undefined

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
  const [minimumLabel, maximumLabel] = BOUND_LABELS[schema.kind] ?? []
  if (minimumLabel === undefined || maximumLabel === undefined) return null
  return (
    <div className="flex flex-col gap-2">
      <div className="grid grid-cols-2 gap-3">
        <Field label={minimumLabel} problem={problemAt(problemKey(id, 'minimum'))}>
          {(props) => (
            <TextInput
              {...props}
              inputMode="decimal"
              value={schema.minimum}
              onChange={(event) => onChange({ minimum: event.target.value })}
            />
          )}
        </Field>
        <Field label={maximumLabel} problem={problemAt(problemKey(id, 'maximum'))}>
          {(props) => (
            <TextInput
              {...props}
              inputMode="decimal"
              value={schema.maximum}
              onChange={(event) => onChange({ maximum: event.target.value })}
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
          Unique items
        </label>
      ) : null}
    </div>
  )
}

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

/** Edits several values, one per line. Empty lines stay in the text but are not values. */
export function LinesField({
  label,
  hint,
  lines,
  problem,
  onChange,
}: {
  readonly label: string
  readonly hint: string
  readonly lines: readonly string[]
  readonly problem: string | undefined
  readonly onChange: (lines: readonly string[]) => void
}): ReactElement {
  const [text, setText] = useState(lines.join('\n'))
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(props) => (
        <textarea
          {...props}
          rows={1}
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            onChange(event.target.value.split('\n').filter((line) => line.trim() !== ''))
          }}
          className={`${INPUT_CLASSES} field-sizing-content min-h-8 resize-none py-1.5 font-mono`}
        />
      )}
    </Field>
  )
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
              {KIND_LABELS[kind]}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
