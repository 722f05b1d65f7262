import type { Json, JsonObject } from '@troupe/schema'
import { Plus, X } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import type { MembersProps } from './value-field-props.ts'

/** A list: its items can be added and taken away. A list without items is no value. */
export function ListField({
  label,
  schema,
  value,
  isRequired,
  onChange,
  told,
  path,
  Member,
  items,
}: MembersProps & { readonly items: JsonObject }): ReactElement {
  // an item that is not written yet has a place, and no value
  const [slots, setSlots] = useState<readonly { readonly id: number; readonly value: Json | undefined }[]>(
    () => (Array.isArray(value) ? (value as readonly Json[]).map((item, id) => ({ id, value: item })) : []),
  )
  const change = (next: typeof slots): void => {
    setSlots(next)
    const written = next.flatMap((slot) => (slot.value === undefined ? [] : [slot.value]))
    onChange(written.length === 0 ? undefined : written)
  }
  const { description } = schema
  const problem = told(path)
  const nextId = Math.max(-1, ...slots.map(({ id }) => id)) + 1
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="flex items-baseline gap-1.5 pb-1 text-small font-medium">
        <code className="font-mono">{label}</code>
        <span className={isRequired ? 'text-tiny text-bad' : 'text-tiny text-muted'}>
          {isRequired ? 'required' : 'optional'}
        </span>
      </legend>
      {typeof description === 'string' ? <p className="text-tiny text-muted">{description}</p> : null}
      {slots.map((slot, index) => (
        <div key={slot.id} className="flex items-start gap-1 border-l-2 border-line pl-3">
          <div className="min-w-0 grow">
            <Member
              label={`${label} ${index + 1}`}
              schema={items}
              value={slot.value}
              isRequired
              onChange={(item) => change(slots.with(index, { ...slot, value: item }))}
              told={told}
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
      {problem === undefined ? null : <p className="text-tiny text-bad">{problem}</p>}
    </fieldset>
  )
}
