import type { Json, JsonObject } from '@troupe/schema'
import type { ReactElement } from 'react'
import { Select, type FieldProps } from '../ui/field.tsx'
import { valueText } from '../ui/format.ts'
import { choiceOf, type Choice } from './choices.ts'
import { defaultWord, FieldGroup, type ValueFieldProps } from './field-group.tsx'

/** Chooses one of some values by their titles. */
export function ChoiceSelect({
  field,
  schema,
  choices,
  value,
  onChange,
}: {
  readonly field: FieldProps
  readonly schema: JsonObject
  readonly choices: readonly Choice[]
  readonly value: Json | undefined
  readonly onChange: (value: Json | undefined) => void
}): ReactElement {
  return (
    <Select
      {...field}
      className="pointer-coarse:[&>select]:h-[44px]"
      value={value === undefined ? '' : JSON.stringify(value)}
      onChange={({ target }) =>
        onChange(target.value === '' ? undefined : (JSON.parse(target.value) as Json))
      }
    >
      <option value="">{defaultWord(schema, (initial) => titleOf(choices, initial))}</option>
      {choices.map(({ value: choice, title }) => (
        <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
          {title}
        </option>
      ))}
    </Select>
  )
}

/** Chooses several of some values by their titles. The list has the order of the choices. */
export function ChoiceListField({
  label,
  schema,
  value,
  isRequired,
  onChange,
  problemAt,
  path,
  choices,
}: ValueFieldProps & { readonly choices: readonly Choice[] }): ReactElement {
  const chosen = new Set(
    (Array.isArray(value) ? (value as readonly Json[]) : []).map((item) => JSON.stringify(item)),
  )
  const change = (choice: Choice, isChosen: boolean): void => {
    const next = choices.filter((each) =>
      each === choice ? isChosen : chosen.has(JSON.stringify(each.value)),
    )
    onChange(next.length === 0 && !isRequired ? undefined : next.map((each) => each.value))
  }
  const initial = defaultWord(schema, (list) =>
    Array.isArray(list)
      ? (list as readonly Json[]).map((item) => titleOf(choices, item)).join(', ')
      : valueText(list),
  )
  return (
    <FieldGroup
      label={label}
      schema={schema}
      isRequired={isRequired}
      problem={problemAt(path)}
      className="gap-1"
    >
      {initial === '' ? null : <p className="text-tiny text-muted">{initial}</p>}
      <div className="flex max-h-72 min-w-0 flex-col overflow-y-auto rounded-md border border-strong-line bg-panel">
        {choices.map((choice) => (
          <label
            key={JSON.stringify(choice.value)}
            className="flex min-h-9 shrink-0 items-center gap-2.5 px-2.5 py-1 text-small hover:bg-raised pointer-coarse:min-h-[44px]"
          >
            <input
              type="checkbox"
              className="size-4 shrink-0 accent-accent"
              checked={chosen.has(JSON.stringify(choice.value))}
              onChange={({ target }) => change(choice, target.checked)}
            />
            <bdi dir="auto" className="min-w-0 wrap-anywhere">
              {choice.title}
            </bdi>
          </label>
        ))}
      </div>
    </FieldGroup>
  )
}

function titleOf(choices: readonly Choice[], value: Json): string {
  return choiceOf(choices, value)?.title ?? valueText(value)
}
