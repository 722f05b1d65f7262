import type { Json, JsonObject } from '@troupe/schema'
import { Plus, X } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { FieldGroup } from './field-group.tsx'
import type { MembersProps } from './value-field-props.ts'

/** Edits a list, with buttons to add and remove items. A list without items has no value. */
export function ListField({
  label,
  schema,
  value,
  isRequired,
  onChange,
  problemAt,
  path,
  Member,
  items,
}: MembersProps & { readonly items: JsonObject }): ReactElement {
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
            <Member
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
