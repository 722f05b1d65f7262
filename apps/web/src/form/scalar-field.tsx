import type { Json, JsonObject } from '@troupe/schema'
import { useState, type ReactElement } from 'react'
import { Field, INPUT_CLASSES, Select, TextInput, type FieldProps } from '../ui/field.tsx'
import { valueText } from '../ui/format.ts'

/** Props of a field for a value. */
export interface ValueFieldProps {
  readonly label: string
  readonly schema: JsonObject
  /** `undefined` if the field is empty. */
  readonly value: Json | undefined
  readonly isRequired: boolean
  readonly onChange: (value: Json | undefined) => void
  /**
   * Returns the message of a problem by its path; `undefined` if there is none, or if it should not be shown
   * yet.
   */
  readonly problemAt: (path: string) => string | undefined
  readonly path: string
}

/** Edits a string, a number, a boolean or a choice. Other values are written as JSON. */
export function ScalarField({
  label,
  schema,
  value,
  isRequired,
  onChange,
  problemAt,
  path,
}: ValueFieldProps): ReactElement {
  const { description, examples } = schema
  const example = Array.isArray(examples) ? (examples as readonly Json[])[0] : undefined
  const hint = [
    typeof description === 'string' ? description : '',
    example === undefined ? '' : `Example: ${valueText(example)}`,
  ].filter((part) => part !== '')
  return (
    <Field
      label={<code className="font-mono">{label}</code>}
      isRequired={isRequired}
      problem={problemAt(path)}
      {...(hint.length === 0 ? {} : { hint: hint.join(' ') })}
    >
      {(props) => {
        const choices = choicesOf(schema)
        return choices === undefined ? (
          <TextValueField field={props} schema={schema} value={value} onChange={onChange} />
        ) : (
          <Select
            {...props}
            value={value === undefined ? '' : JSON.stringify(value)}
            onChange={({ target }) =>
              onChange(target.value === '' ? undefined : (JSON.parse(target.value) as Json))
            }
          >
            <option value="">{defaultWord(schema)}</option>
            {choices.map((choice) => (
              <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
                {valueText(choice)}
              </option>
            ))}
          </Select>
        )
      }}
    </Field>
  )
}

/** Edits a value as text, which is preserved even if it is not valid yet. */
function TextValueField({
  field,
  schema,
  value,
  onChange,
}: {
  readonly field: FieldProps
  readonly schema: JsonObject
  readonly value: Json | undefined
  readonly onChange: (value: Json | undefined) => void
}): ReactElement {
  const [text, setText] = useState(value === undefined ? '' : valueText(value))
  const change = (written: string): void => {
    setText(written)
    onChange(readField(written, schema))
  }
  const { type } = schema
  if (type === 'number' || type === 'integer')
    return (
      <TextInput
        {...field}
        inputMode={type === 'integer' ? 'numeric' : 'decimal'}
        placeholder={defaultWord(schema)}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
    )
  return (
    <textarea
      {...field}
      rows={1}
      placeholder={defaultWord(schema)}
      value={text}
      onChange={(event) => change(event.target.value)}
      className={`${INPUT_CLASSES} field-sizing-content max-h-40 min-h-8 resize-none py-1.5 ${type === 'string' ? '' : 'font-mono'}`}
    />
  )
}

function choicesOf({ type, enum: allowed }: JsonObject): readonly Json[] | undefined {
  if (type === 'boolean') return [true, false]
  return Array.isArray(allowed) ? (allowed as readonly Json[]) : undefined
}

function defaultWord({ default: initial }: JsonObject): string {
  return initial === undefined ? '' : `default: ${valueText(initial)}`
}

/**
 * Parses a text field. A text that does not match the type is returned as a string, which is reported as a
 * problem. Returns `undefined` if the text is empty.
 */
export function readField(text: string, { type }: JsonObject): Json | undefined {
  if (text === '') return undefined
  if (type === 'string') return text
  if (type === 'number' || type === 'integer') {
    const value = Number(text)
    return text.trim() === '' || !Number.isFinite(value) ? text : value
  }
  try {
    return JSON.parse(text) as Json
  } catch {
    // Incomplete input.
    return text
  }
}
