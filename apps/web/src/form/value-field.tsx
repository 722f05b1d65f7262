import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { Plus, X } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { Button, IconButton } from '../ui/button.tsx'
import { Field, INPUT_CLASSES, TextInput, type FieldProps } from '../ui/field.tsx'
import { valueText } from '../ui/format.ts'
import { ChoiceListField, ChoiceSelect } from './choice-fields.tsx'
import { choicesOf, itemChoicesOf } from './choices.ts'
import { defaultWord, FieldGroup, type ValueFieldProps } from './field-group.tsx'

/** Edits a value by the type of its schema. */
export function ValueField(props: ValueFieldProps): ReactElement {
  const { type, properties, items } = props.schema
  if (type === 'object' && isJsonObject(properties))
    return <ObjectFields {...props} properties={properties} />
  const itemChoices = itemChoicesOf(props.schema)
  if (itemChoices !== undefined) return <ChoiceListField {...props} choices={itemChoices} />
  if (type === 'array' && isJsonObject(items)) return <ListField {...props} items={items} />
  return <ScalarField {...props} />
}

/** Edits a list, with buttons to add and remove items. A list without items has no value. */
function ListField({
  label,
  schema,
  value,
  isRequired,
  onChange,
  problemAt,
  path,
  items,
}: ValueFieldProps & { readonly items: JsonObject }): ReactElement {
  // An item without a value still needs a position.
  const [slots, setSlots] = useState<readonly { readonly id: number; readonly value: Json | undefined }[]>(
    () => (Array.isArray(value) ? (value as readonly Json[]).map((item, id) => ({ id, value: item })) : []),
  )
  const change = (next: typeof slots): void => {
    setSlots(next)
    const values = next.flatMap((slot) => (slot.value === undefined ? [] : [slot.value]))
    onChange(values.length === 0 ? undefined : values)
  }
  const nextId = Math.max(-1, ...slots.map(({ id }) => id)) + 1
  return (
    <FieldGroup
      label={label}
      schema={schema}
      isRequired={isRequired}
      problem={problemAt(path)}
      className="gap-2"
    >
      {slots.map((slot, index) => (
        <div key={slot.id} className="flex items-start gap-1 border-l-2 border-line pl-3">
          <div className="min-w-0 grow">
            <ValueField
              label={`${label} ${index + 1}`}
              schema={items}
              value={slot.value}
              isRequired
              onChange={(item) => change(slots.with(index, { ...slot, value: item }))}
              problemAt={problemAt}
              path={`${path}/${index}`}
            />
          </div>
          <IconButton
            label={`Delete ${label} ${index + 1}`}
            onClick={() => change(slots.toSpliced(index, 1))}
          >
            <X className="size-4" />
          </IconButton>
        </div>
      ))}
      <Button className="self-start" onClick={() => change([...slots, { id: nextId, value: undefined }])}>
        <Plus aria-hidden="true" className="size-3.5" /> Add to {label}
      </Button>
    </FieldGroup>
  )
}

/** Edits the properties of an object. An object without properties has no value. */
function ObjectFields({
  label,
  schema,
  value,
  isRequired,
  onChange,
  problemAt,
  path,
  properties,
}: ValueFieldProps & { readonly properties: JsonObject }): ReactElement {
  const members = isJsonObject(value) ? value : {}
  const { required } = schema
  const names = Array.isArray(required) ? (required as readonly Json[]) : []
  const change = (name: string, member: Json | undefined): void => {
    const rest = Object.entries(members).filter(([key]) => key !== name)
    const next = member === undefined ? rest : [...rest, [name, member] as const]
    onChange(next.length === 0 && path !== '' ? undefined : Object.fromEntries(next))
  }
  const fields = Object.entries(properties).map(([name, property]) => (
    <ValueField
      key={name}
      label={name}
      schema={isJsonObject(property) ? property : {}}
      value={getOwn(members, name)}
      isRequired={names.includes(name)}
      onChange={(member) => change(name, member)}
      problemAt={problemAt}
      path={`${path}/${name}`}
    />
  ))
  if (path === '') return <div className="flex flex-col gap-4">{fields}</div>
  return (
    <FieldGroup
      label={label}
      schema={schema}
      isRequired={isRequired}
      problem={problemAt(path)}
      className="gap-3 border-l-2 border-line pl-3"
    >
      {fields}
    </FieldGroup>
  )
}

/** Edits a string, a number, a boolean or a choice. Other values are written as JSON. */
function ScalarField({
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
          <ChoiceSelect field={props} schema={schema} choices={choices} value={value} onChange={onChange} />
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
  const change = (newText: string): void => {
    setText(newText)
    onChange(readField(newText, schema))
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
