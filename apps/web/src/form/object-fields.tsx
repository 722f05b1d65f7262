import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { ReactElement } from 'react'
import { FieldGroup } from './field-group.tsx'
import type { MembersProps } from './value-field-props.ts'

/** Edits the properties of an object. An object without properties has no value. */
export function ObjectFields({
  label,
  schema,
  value,
  isRequired,
  onChange,
  problemAt,
  path,
  Member,
  properties,
}: MembersProps & { readonly properties: JsonObject }): ReactElement {
  const members = isJsonObject(value) ? value : {}
  const { required } = schema
  const names = Array.isArray(required) ? (required as readonly Json[]) : []
  const change = (name: string, member: Json | undefined): void => {
    const rest = Object.entries(members).filter(([key]) => key !== name)
    const next = member === undefined ? rest : [...rest, [name, member] as const]
    onChange(next.length === 0 && path !== '' ? undefined : Object.fromEntries(next))
  }
  const fields = Object.entries(properties).map(([name, property]) => (
    <Member
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
