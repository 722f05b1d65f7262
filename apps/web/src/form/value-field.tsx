import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { Plus, X } from 'lucide-react'
import { useState, type ReactElement, type ReactNode } from 'react'
import { Button, IconButton } from '../ui/button.tsx'
import { RequiredMark } from '../ui/field.tsx'
import { ScalarField, type ValueFieldProps } from './scalar-field.tsx'

/** Edits a value by the type of its schema. */
export function ValueField(props: ValueFieldProps): ReactElement {
  const { type, properties, items } = props.schema
  if (type === 'object' && isJsonObject(properties))
    return <ObjectFields {...props} properties={properties} />
  if (type === 'array' && isJsonObject(items)) return <ListField {...props} items={items} />
  return <ScalarField {...props} />
}

/** Groups the fields of one value, with the description of its schema and the problem of the whole value. */
function FieldGroup({
  label,
  schema: { description },
  isRequired,
  problem,
  className,
  children,
}: Pick<ValueFieldProps, 'label' | 'schema' | 'isRequired'> & {
  readonly problem: string | undefined
  readonly className: string
  readonly children: ReactNode
}): ReactElement {
  return (
    <fieldset className={`flex min-w-0 flex-col ${className}`}>
      <legend className="flex items-baseline gap-1.5 pb-1 text-small font-medium">
        <code className="font-mono">{label}</code>
        <RequiredMark isRequired={isRequired} />
      </legend>
      {typeof description === 'string' ? <p className="text-tiny text-muted">{description}</p> : null}
      {children}
      {problem === undefined ? null : <p className="text-tiny text-bad">{problem}</p>}
    </fieldset>
  )
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
    const written = next.flatMap((slot) => (slot.value === undefined ? [] : [slot.value]))
    onChange(written.length === 0 ? undefined : written)
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
