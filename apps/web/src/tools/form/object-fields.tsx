import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { ReactElement } from 'react'
import type { MembersProps } from './value-field-props.ts'

/** The members of an object, each with its own field. An object without any member is no value. */
export function ObjectFields({
  label,
  schema,
  value,
  isRequired,
  onChange,
  told,
  path,
  Member,
  properties,
}: MembersProps & { readonly properties: JsonObject }): ReactElement {
  const members = isJsonObject(value) ? value : {}
  const { required, description } = schema
  const names = Array.isArray(required) ? (required as readonly Json[]) : []
  const change = (name: string, member: Json | undefined): void => {
    const rest = Object.entries(members).filter(([key]) => key !== name)
    const next = member === undefined ? rest : [...rest, [name, member] as const]
    onChange(next.length === 0 && path !== '' ? undefined : Object.fromEntries(next))
  }
  const problem = told(path)
  const fields = Object.entries(properties).map(([name, property]) => (
    <Member
      key={name}
      label={name}
      schema={isJsonObject(property) ? property : {}}
      value={getOwn(members, name)}
      isRequired={names.includes(name)}
      onChange={(member) => change(name, member)}
      told={told}
      path={`${path}/${name}`}
    />
  ))
  if (path === '') return <div className="flex flex-col gap-4">{fields}</div>
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 border-l-2 border-line pl-3">
      <legend className="flex items-baseline gap-1.5 pb-1 text-small font-medium">
        <code className="font-mono">{label}</code>
        <span className={isRequired ? 'text-tiny text-bad' : 'text-tiny text-muted'}>
          {isRequired ? 'required' : 'optional'}
        </span>
      </legend>
      {typeof description === 'string' ? <p className="text-tiny text-muted">{description}</p> : null}
      {fields}
      {problem === undefined ? null : <p className="text-tiny text-bad">{problem}</p>}
    </fieldset>
  )
}
